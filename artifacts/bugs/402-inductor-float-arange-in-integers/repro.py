"""torch.arange(100000).float() ** 4 overflows int64 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function():
    return torch.arange(100000).float() ** 4


due = function()[-1].item()
given = torch.compile(function)()[-1].item()
print(f"last element: eager: {due}, compiled: {given}")
sys.exit(abs(given - due) > 1e-3 * due)
