"""torch.isin(0.1, x) rounds 0.1 to float32 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, y):
    return torch.isin(0.1, x), torch.isin(16777217, y)


inputs = torch.tensor([0.1, 0.2], dtype=torch.float64), torch.tensor([16777216, 3])
due = [bool(found) for found in function(*inputs)]
given = [bool(found) for found in torch.compile(function)(*inputs)]
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
