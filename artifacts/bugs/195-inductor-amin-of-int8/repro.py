"""torch.compile takes 0 into the least element of int8, in PyTorch 2.15.0 on the CPU.

``torch.amin`` of 32 times 5 is 0, where 5 is due, and ``torch.amax`` of 32 times -5 is 0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def extremes(x):
    return torch.amin(x, 0), torch.amax(-x, 0)


x = torch.full((32,), 5, dtype=torch.int8)

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = [y.item() for y in torch.compile(extremes, backend=backend)(x)]
for backend, result in results.items():
    print(f"{backend}: {result}")
sys.exit(results["eager"] != results["inductor"])
