"""torch.compile gives another place than eager where a window of a max pooling has two NaN, in PyTorch 2.15.0 on the CPU.

Uncompiled, ``max_pool2d`` and ``adaptive_max_pool2d`` give the last NaN of a window; the lowering takes an ``argmax``,
which gives the first. Without NaN both give the first of equal elements. Exits 1 where the bug shows, 0 where it does
not, 2 where this could not run. Reduced by hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

NAN = float("nan")


def pooled(x):
    return torch.nn.functional.max_pool2d(x, (1, 3), return_indices=True)[1]


def pooled_adaptively(x):
    return torch.nn.functional.adaptive_max_pool2d(x, (1, 1), return_indices=True)[1]


# The check: compiled, the program must do as eager does.
shown = False
for function in (pooled, pooled_adaptively):
    places = {}
    for backend in ("eager", "aot_eager", "inductor"):
        torch._dynamo.reset()
        places[backend] = torch.compile(function, backend=backend)(torch.tensor([[[[NAN, NAN, 1.0]]]])).item()
    print(f"{function.__name__}: {places}")
    shown |= places["inductor"] != places["eager"]
sys.exit(shown)
