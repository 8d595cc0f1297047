"""torch.linspace of large integers is wrong in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return x + torch.linspace(0, 99999999, 4, dtype=torch.int64)


x = torch.zeros(4, dtype=torch.int64)
due, given = function(x).tolist(), torch.compile(function)(x).tolist()
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
