"""torch.round(x, decimals=-3) rounds 6500 to 7000 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return torch.round(x, decimals=-3)


x = torch.tensor([6500.0, 10500.0, 7200.0])  # half to even: 6000 and 10000
due, given = function(x).tolist(), torch.compile(function)(x).tolist()
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
