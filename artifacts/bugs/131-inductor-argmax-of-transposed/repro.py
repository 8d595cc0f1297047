"""torch.compile gives the place in memory for ``argmax`` of a transposed product, in PyTorch 2.13.0 on the CPU.

The largest element of the 3 by 2 tensor is in row 1, column 0: its place is 1 * 2 + 0. In memory, where columns follow
one another, it is the element 1.

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


def place(x):
    return (x.t() * 2).argmax()


x = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            results[backend] = torch.compile(place, backend=backend)(x)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
for backend, result in results.items():
    print(f"{backend}: {result.item()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
