"""torch.compile: BatchNorm1d of a transposed tensor cannot be viewed on the CPU, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

norm = torch.nn.BatchNorm1d(8).eval()


def normalize(x):
    return norm(x.transpose(1, 2)).view(4, -1)


x = torch.randn(4, 6, 8)
normalize(x)
try:
    torch.compile(normalize)(x)
except RuntimeError as error:
    message = next((line for line in str(error).splitlines() if "view" in line), str(error))
    print(f"eager runs; compiled: {message.strip()[-200:]}")
    sys.exit("view" in message)
sys.exit(0)
