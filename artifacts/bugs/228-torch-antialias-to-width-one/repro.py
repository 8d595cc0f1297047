"""F.interpolate with antialias to a width of 1 gives all rows the first row's value, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F

x = torch.arange(15.0).reshape(1, 1, 5, 3)
given = F.interpolate(x, (3, 1), mode="bilinear", antialias=True).flatten()
turned = F.interpolate(x.mT.contiguous(), (1, 3), mode="bilinear", antialias=True).flatten()
print(f"rows of a 3x1 image: {given.tolist()}; of the turned image, columns: {turned.tolist()}")
sys.exit(not torch.allclose(given, turned, atol=1e-4))
