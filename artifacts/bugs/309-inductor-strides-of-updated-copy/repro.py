"""torch.compile: after masked_fill_ a transposed copy cannot be viewed as in eager, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import logging
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

logging.disable()


def mask(scores):
    y = torch.relu(scores.transpose(1, 2))
    y.masked_fill_(y > 1, 0)
    return y.transpose(1, 2).view(4, -1)


scores = torch.zeros(4, 3, 2)
mask(scores)
try:
    torch.compile(mask)(scores)
except torch._dynamo.exc.BackendCompilerFailed as error:
    print(f"eager runs; compiled: {str(error).splitlines()[1]}")
    sys.exit("Cannot view" in str(error))
sys.exit(0)
