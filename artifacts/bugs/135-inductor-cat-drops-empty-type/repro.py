"""torch.compile leaves out the type of an empty tensor in ``cat``, in PyTorch 2.13.0 on the CPU.

``cat`` of int64 and an empty float32 is of float32. Compiled it is of int64, if there are two other tensors or more.

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


def joined(x, empty):
    return torch.cat([x, x, empty])


x, empty = torch.tensor([16777217]), torch.empty(0)


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            results[backend] = torch.compile(joined, backend=backend)(x, empty)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}, {result.dtype}")
eager, compiled = results.values()
sys.exit(eager.dtype != compiled.dtype or not torch.equal(eager, compiled))
