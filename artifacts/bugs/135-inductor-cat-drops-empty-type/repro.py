"""torch.compile leaves out the type of an empty tensor in ``cat``, in PyTorch 2.15.0 on the CPU.

``cat`` of int64 and an empty float32 is of float32. Compiled it is of int64, if there are two other tensors or more.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def joined(x, empty):
    return torch.cat([x, x, empty])


x, empty = torch.tensor([16777217]), torch.empty(0)

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(joined, backend=backend)(x, empty)
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}, {result.dtype}")
eager, compiled = results.values()
sys.exit(eager.dtype != compiled.dtype or not torch.equal(eager, compiled))
