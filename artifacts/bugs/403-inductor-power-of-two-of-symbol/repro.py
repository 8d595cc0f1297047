"""x + 2**n is computed in 32 bits in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, n):
    return x + 2**n


compiled = torch.compile(function)
x = torch.zeros(4, dtype=torch.int64)
due, given = [], []
for n in (3, 4, 31, 40):  # a symbol from the second on
    due.append(function(x, n)[0].item())
    given.append(compiled(x, n)[0].item())
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
