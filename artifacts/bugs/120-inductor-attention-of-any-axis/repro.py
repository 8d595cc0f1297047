"""torch.compile takes any softmax between two products for that of attention, in PyTorch 2.13.0 on the CPU.

Here it is over the second axis from the end. Compiled it is over the last. Scores are 0, so that each of two rows has
the weight 1/2, and each of three columns has 1/3.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

# The check: compiled, the program must do as eager does.
def attend(q, k, v):
    return (q @ k.transpose(-2, -1) / 2.0).softmax(-2) @ v


q, k, v = torch.zeros(2, 2, 2, 4), torch.zeros(2, 2, 3, 4), torch.ones(2, 2, 3, 4)


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(attend, backend=backend)(q, k, v)
for backend, result in results.items():
    print(f"{backend}: {result[0, 0, 0, 0].item()}")
sys.exit(not torch.allclose(results["eager"], results["inductor"], rtol=1e-2))
