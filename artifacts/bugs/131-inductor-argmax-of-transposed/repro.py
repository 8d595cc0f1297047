"""torch.compile gives the place in memory for ``argmax`` of a transposed product, in PyTorch 2.13.0 on the CPU.

The largest element of the 3 by 2 tensor is in row 1, column 0: its place is 1 * 2 + 0. In memory, where columns follow
one another, it is the element 1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def place(x):
    return (x.t() * 2).argmax()


x = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(place, backend=backend)(x)
for backend, result in results.items():
    print(f"{backend}: {result.item()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
