"""torch.arange(4).bool() counts as 0, 1, 2, 3 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return x * torch.arange(4).bool(), torch.arange(4).bool().sum()


inputs = torch.ones(4)
due = [result.tolist() for result in function(inputs)]
given = [result.tolist() for result in torch.compile(function)(inputs)]
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
