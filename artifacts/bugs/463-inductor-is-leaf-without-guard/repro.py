"""x.is_leaf is a constant without a guard in functions that torch 2.13.0 and 2.15.0 compile.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    return x * 2 if x.is_leaf else x * 3


leaf = torch.ones(1, requires_grad=True)
compiled = torch.compile(function)
due = [function(leaf).item(), function(leaf * 1).item()]
given = [compiled(leaf).item(), compiled(leaf * 1).item()]
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
