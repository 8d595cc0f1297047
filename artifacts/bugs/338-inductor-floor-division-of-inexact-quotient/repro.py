"""1.0 // 0.1 gives 10 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return x // 0.1


x = torch.tensor([1.0, 0.5, 0.25], dtype=torch.float64)
due, given = function(x).tolist(), torch.compile(function)(x).tolist()
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
