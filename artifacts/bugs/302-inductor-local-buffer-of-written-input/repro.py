"""Inductor CPU: KeyError 'buf2' for x.scatter_ of a normalization of x, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F


def write(x):
    return x.scatter_(0, torch.arange(6).view(6, 1).expand(6, 8), F.rms_norm(x, (8,)))


write(torch.randn(6, 8))
try:
    torch.compile(write)(torch.randn(6, 8))
except torch._inductor.exc.InductorError as error:
    print(f"eager is right; compiled: {str(error).splitlines()[0]}")
    sys.exit(1)
sys.exit(0)
