"""inductor 2.13.0+cpu: output 0 (uint8[]): A is off by 1 where the result is exact at its only element; at [] it gives
1, and float64 2

Exits 1 where the bug shows, 0 where it does not, 2 where this script could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import numpy as np
import torch


def A(x):
    return torch.amin(x, dim=(0, 1, 2))


x = torch.full((5, 5, 1), 2, dtype=torch.uint8)
a = torch.compile(A)(x)

# The check: compiled, A gives other results than in float64.
expected = np.array(2, np.uint8)  # in float64
allowed = 0  # the values are exact

a = a.detach().numpy()

difference = np.abs(a.astype(np.float64) - expected.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A:      ", a)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
