"""torch.compile gives wrong differences from the maximum of all elements of a product, in PyTorch 2.15.0 on the CPU.

The product is 1 and 6, and so the differences from its maximum are -5 and 0. Compiled the maximum of x is subtracted
first: that is the same only if one factor holds for all that the maximum is taken of.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def below_maximum(x, w):
    product = x * w
    return product - torch.amax(product, dim=(), keepdim=True)


x, w = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 3.0]])

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(below_maximum, backend=backend)(x, w)
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
