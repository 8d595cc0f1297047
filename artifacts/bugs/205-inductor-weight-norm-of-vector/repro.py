"""torch.compile normalizes a vector under weight_norm as a whole, where eager normalizes each element, in PyTorch 2.13.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
from torch.nn.utils.parametrizations import weight_norm

layer = weight_norm(torch.nn.LayerNorm(3))
with torch.no_grad():
    layer.parametrizations.weight.original1.copy_(torch.tensor([1.0, 2.0, 3.0]))
    x = torch.tensor([[1.0, 2.0, 4.0]])
    eager, compiled = layer(x), torch.compile(layer)(x)
print(f"eager: {eager.tolist()}\ncompiled: {compiled.tolist()}")
sys.exit(not torch.allclose(eager, compiled))
