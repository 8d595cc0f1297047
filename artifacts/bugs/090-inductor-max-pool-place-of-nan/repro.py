"""torch.compile gives another place than eager where a window of a max pooling has two NaN, in PyTorch 2.13.0 on the CPU.

Uncompiled, ``max_pool2d`` and ``adaptive_max_pool2d`` give the last NaN of a window; the lowering takes an ``argmax``,
which gives the first. Without NaN both give the first of equal elements. Exits 1 where the bug shows, 0 where it does
not, 2 where this could not run. Reduced by hand from a finding.
"""

import os
import sys

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
try:
    import torch
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

NAN = float("nan")


def pooled(x):
    return torch.nn.functional.max_pool2d(x, (1, 3), return_indices=True)[1]


def pooled_adaptively(x):
    return torch.nn.functional.adaptive_max_pool2d(x, (1, 1), return_indices=True)[1]


shown = False
for function in (pooled, pooled_adaptively):
    places = {}
    for backend in ("eager", "aot_eager", "inductor"):
        torch._dynamo.reset()
        try:
            places[backend] = torch.compile(function, backend=backend)(torch.tensor([[[[NAN, NAN, 1.0]]]])).item()
        except Exception as error:
            print("could not run:", error)
            sys.exit(2)
    print(f"{function.__name__}: {places}")
    shown |= places["inductor"] != places["eager"]
sys.exit(shown)
