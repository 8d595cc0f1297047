"""torch.compile gives places in the padding where a window of a max pooling has only -inf, in PyTorch 2.15.0.

Each window has one element, and three places of padding. -3 and -1 are no places, and 1 is that of another element.
With gradients the compiled program raises an error.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def pooled(x):
    return torch.nn.functional.max_pool2d(x, 2, 2, 1, return_indices=True)[1]


x = torch.full((1, 1, 2, 2), -float("inf"))

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(pooled, backend=backend)(x)
for backend, result in results.items():
    print(f"{backend}: {result.flatten().tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
