"""torch.compile gives float32 for attention that is cast to float16, in PyTorch 2.13.0 on the CPU.

The weights and the values are cast before the last product, which is of float16. Compiled all is computed in float32,
and the result has that type. The value 1/3 is 0.333251953125 in float16.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
try:
    import torch
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def attend(q, k, v):
    q, k, v = (x.permute(0, 2, 1, 3) for x in (q, k, v))
    return (q @ k.transpose(-2, -1) / 2.0).softmax(-1).half() @ v.half()


q = k = torch.zeros(2, 2, 2, 4)
v = torch.full((2, 2, 2, 4), 1 / 3)


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            results[backend] = torch.compile(attend, backend=backend)(q, k, v)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
for backend, result in results.items():
    print(f"{backend}: {result[0, 0, 0, 0].item()}, {result.dtype}")
sys.exit(results["eager"].dtype != results["inductor"].dtype)
