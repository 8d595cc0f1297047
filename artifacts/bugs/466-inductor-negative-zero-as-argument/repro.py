"""A guard on a float argument takes -0.0 for 0.0 in torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import math
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, n):
    return x * math.copysign(3.0, n)


compiled = torch.compile(function)
x = torch.ones(1)
due, given = [], []
for n in (3.0, 5.0, 0.0, -0.0):  # a symbol from the second on
    due.append(function(x, n).item())
    given.append(compiled(x, n).item())
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
