"""torch.compile splits a concatenation into what it was made of, with its types, in PyTorch 2.15.0 on the CPU.

``cat`` of int64 and float32 is of float32, and so are its parts: 16777217 becomes 16777216. Compiled the first part is
the tensor of int64.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def first(x, y):
    return torch.cat([x, y], 1).split([1, 1], 1)[0]


x, y = torch.tensor([[16777217]]), torch.ones(1, 1)

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(first, backend=backend)(x, y)
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}, {result.dtype}")
eager, compiled = results.values()
sys.exit(eager.dtype != compiled.dtype or not torch.equal(eager, compiled))
