"""An integer tensor times a NumPy scalar gives float64 under torch.compile of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import torch


def function(x, scale):
    return x * scale


inputs = torch.tensor([1, 2]), np.float64(0.1)
due, given = function(*inputs), torch.compile(function)(*inputs)
print(f"eager: {due.dtype}, {due.tolist()}, compiled: {given.dtype}, {given.tolist()}")
sys.exit(given.dtype != due.dtype)
