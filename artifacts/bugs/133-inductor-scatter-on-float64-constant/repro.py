"""torch.compile rounds a constant of float64 to float32 where a number is scattered on it, in PyTorch 2.15.0.

0.1 becomes 0.10000000149011612.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def scattered(index):
    return torch.full((2, 2), 0.1, dtype=torch.float64).scatter(1, index, 0.7)


index = torch.tensor([[1], [0]])

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(scattered, backend=backend)(index)
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
