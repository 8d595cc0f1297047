"""as_strided_scatter of x[1:] counts the offset from the view in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def scatter(x):
    return torch.as_strided_scatter(x[1:], torch.ones(2, 2), (2, 2), (4, 1), 5)


def gather(x):
    return torch.as_strided((x + 1)[1:], (2, 3), (1, 2), 0)


x = torch.arange(16.0).reshape(4, 4)
wrong = False
for function in scatter, gather:
    due, given = function(x).tolist(), torch.compile(function)(x).tolist()
    print(f"{function.__name__}: eager: {due}, compiled: {given}")
    wrong |= given != due
sys.exit(wrong)
