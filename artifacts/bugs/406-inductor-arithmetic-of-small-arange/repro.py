"""(torch.arange(4, dtype=torch.uint8) - 3) // 2 is computed without wrap-around in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function():
    y = torch.arange(4, dtype=torch.uint8)
    return (y - 3) // 2, torch.minimum(y - 3, y)


due = [result.tolist() for result in function()]
given = [result.tolist() for result in torch.compile(function)()]
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
