"""torch.compile gives float32 for ``tanh(cat)`` of int64 and float16, in PyTorch 2.15.0 on the CPU.

``cat`` promotes both to float16, and so ``tanh`` is of float16. Compiled each operand has a ``tanh`` of its own, and
that of an int64 is of float32.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def activated(x, y):
    return torch.tanh(torch.cat([x, y]))


x, y = torch.tensor([1]), torch.tensor([1.0], dtype=torch.float16)

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(activated, backend=backend)(x, y)
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}, {result.dtype}")
eager, compiled = results.values()
sys.exit(eager.dtype != compiled.dtype or not torch.equal(eager, compiled))
