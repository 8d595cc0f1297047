"""torch.compile gives places in the padding where a window of a max pooling has only -inf, in PyTorch 2.13.0.

Each window has one element, and three places of padding. -3 and -1 are no places, and 1 is that of another element.
With gradients the compiled program raises an error.

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


def pooled(x):
    return torch.nn.functional.max_pool2d(x, 2, 2, 1, return_indices=True)[1]


def gradient(x):
    x = x.clone().requires_grad_()
    torch.nn.functional.max_pool2d(x, 2, 2, 1).sum().backward()
    return x.grad


x = torch.full((1, 1, 2, 2), -float("inf"))


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    try:
        with torch.no_grad():
            results[backend] = torch.compile(pooled, backend=backend)(x)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
for backend, result in results.items():
    print(f"{backend}: {result.flatten().tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
