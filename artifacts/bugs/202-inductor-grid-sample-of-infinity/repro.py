"""torch.compile gives NaN outside of an image whose first element is infinite, for grid_sample of PyTorch 2.15.0.

With ``padding_mode="zeros"``, which is the default, a place outside of the image has the value 0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def outside(image, grid):
    return torch.nn.functional.grid_sample(image, grid, align_corners=True)


image = torch.ones(1, 1, 8, 8)
image[0, 0, 0, 0] = torch.inf
inputs = image, torch.full((1, 1, 1, 2), 5.0)  # far from the first element, beyond the last one

# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(outside, backend=backend)(*inputs).item()
    print(f"{backend}: {results[backend]}")
sys.exit(results["eager"] != results["inductor"])
