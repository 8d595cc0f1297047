"""torch.special.bessel_j0 of float64 is wrong in the sixth digit, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import math
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

x = 5.01
due = sum((-1) ** k * (x / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(40))
given = torch.special.bessel_j0(torch.tensor(x, dtype=torch.float64)).item()
print(f"J0({x}) is {due:.12f}, and torch gives {given:.12f}")
sys.exit(abs(given - due) > 1e-10)
