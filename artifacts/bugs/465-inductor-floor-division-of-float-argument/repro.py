"""n // 2 of a float argument is converted to int64 under torch.compile of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, n):
    return x * (n // 2)


compiled = torch.compile(function)
x = torch.ones(1, dtype=torch.float64)
due, given = [], []
for n in (3.0, 5.0, 1e20):  # a symbol from the second on
    due.append(function(x, n).item())
    given.append(compiled(x, n).item())
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
