"""torch.compile: softmax of a bool mask times a tensor does not compile, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import logging
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch

logging.disable()


def weights(mask, scale):
    return torch.softmax(mask * scale, 1)


inputs = torch.tensor([[True, False, True]]), torch.tensor(2.0)
weights(*inputs)
try:
    torch.compile(weights)(*inputs)
except torch._dynamo.exc.BackendCompilerFailed as error:
    print(f"eager runs; compiled: {str(error).splitlines()[1]}")
    sys.exit("Negation" in str(error))
sys.exit(0)
