"""torch.compile: bilinear F.interpolate differs from eager where the size does not change, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F


def scale(x):
    return F.interpolate(x, scale_factor=(2.0, 1.1), mode="bilinear")


x = torch.tensor([[[[0.0, 1.0, 4.0, 9.0]]]])
eager, compiled = (run(x)[0, 0, 0] for run in (scale, torch.compile(scale)))
print(f"eager: {eager.tolist()}, compiled: {compiled.tolist()}")
sys.exit(not torch.allclose(eager, compiled))
