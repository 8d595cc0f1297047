"""torch.compile: put into a transposed tensor cannot be viewed as in eager, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import logging
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

logging.disable()


def put(x):
    return x.t().put(torch.tensor([0]), torch.ones(1)).t().view(-1)


x = torch.zeros(3, 4)
put(x)
try:
    torch.compile(put)(x)
except torch._dynamo.exc.BackendCompilerFailed as error:
    print(f"eager runs; compiled: {str(error).splitlines()[1]}")
    sys.exit("Cannot view" in str(error))
sys.exit(0)
