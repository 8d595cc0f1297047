"""Inductor CPU: x % 7 of 1e9 in float32 gives 64, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def remainder(x):
    return x % 7


x = torch.full((16,), 1e9)
compiled = torch.compile(remainder)(x)[0].item()
print(f"eager: {remainder(x)[0].item()}, compiled: {compiled}")
sys.exit(compiled != 6)
