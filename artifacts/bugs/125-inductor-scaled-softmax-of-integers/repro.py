"""torch.compile computes softmax(x / 2) of integers from differences that wrap around, in PyTorch 2.15.0.

The compiler subtracts the maximum before it divides: of uint8 0 - 200 is 56, and the least int32 minus the largest is
1. Of uint8 the smaller element gets all the weight.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def of_uint8(x):
    return torch.softmax(x / 2.0, 1)


def of_int32(x):
    return torch.softmax(x / 1e9, 1)


# The check: compiled, the program must do as eager does.
shown = False
for function, x in (
    (of_uint8, torch.tensor([[200, 0]], dtype=torch.uint8)),
    (of_int32, torch.tensor([[-(2**31), 2**31 - 1]], dtype=torch.int32)),
):
    expected = function(x)
    torch._dynamo.reset()
    compiled = torch.compile(function)(x)
    print(f"{function.__name__}: eager {expected.tolist()}, inductor {compiled.tolist()}")
    shown |= not torch.allclose(expected, compiled)
sys.exit(shown)
