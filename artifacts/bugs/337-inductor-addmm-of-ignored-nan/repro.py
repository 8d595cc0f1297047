"""torch.addmm(b, x, w, beta=0) gives NaN where b holds NaN in TorchInductor of torch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(b, x, w):
    return torch.addmm(b, x, w, beta=0.0)


inputs = torch.full((3,), float("nan")), torch.ones(1, 4), torch.ones(4, 3)
due, given = function(*inputs).tolist(), torch.compile(function)(*inputs).tolist()
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
