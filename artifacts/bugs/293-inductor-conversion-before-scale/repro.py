"""s = (x * 0.01).half(); s - s.amax(1, keepdim=True) is wrong in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def to_half(x):
    s = (x * 0.01).half()
    return s - s.amax(1, keepdim=True)


def to_int(x):
    s = (x * 0.5).to(torch.int32)
    return s - s.amax(1, keepdim=True)


wrong = False
for function, x in (to_half, torch.tensor([[1e5, 2e5, 3e5]])), (to_int, torch.tensor([[1.0, 2.0, 5.0]])):
    due, given = function(x), torch.compile(function)(x)
    print(f"{function.__name__}: eager: {due.tolist()}, {due.dtype}, compiled: {given.tolist()}, {given.dtype}")
    wrong |= given.dtype != due.dtype or not torch.equal(given, due)
sys.exit(wrong)
