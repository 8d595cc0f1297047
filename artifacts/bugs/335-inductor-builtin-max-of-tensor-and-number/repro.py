"""max(x, 2.5) of an int64 tensor gives float32 under torch.compile of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return max(x, 2.5)


x = torch.tensor(16777217)
due, given = function(x), torch.compile(function)(x)
print(f"eager: {due.item()}, {due.dtype}; compiled: {given.item()}, {given.dtype}")
sys.exit(given.dtype != due.dtype or given.item() != due.item())
