"""(-n - 5) % -3 of a dynamic size n is -n - 5 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return x + (-x.shape[0] - 5) % -3


x = torch.zeros(7)
due = function(x)[0].item()
given = torch.compile(function, dynamic=True)(x)[0].item()
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
