"""torch.compile gives 0 for ``atanh`` of small numbers, in PyTorch 2.15.0 on the CPU.

Of float32 that is so from 5e-8 down, and the sign of -0.0 is lost, too. The vectorised code computes
``log((1 + x) / (1 - x)) / 2``; scalar code, which does fewer elements than a vector has, is right. Up to 2.13.0
``expm1`` was wrong, too. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand
from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

# The check: compiled, the program must do as eager does.
shown = False
x = torch.tensor([1e-8, -0.0]).repeat(32)
for function in (torch.expm1, torch.atanh):
    results = {}
    for backend in ("eager", "aot_eager_decomp_partition", "inductor"):
        torch._dynamo.reset()
        results[backend] = torch.compile(function, backend=backend)(x)[:2]
    print(f"{function.__name__}:", *(f"{name} {result.tolist()}" for name, result in results.items()), sep="\n    ")
    shown |= not torch.allclose(results["inductor"], results["eager"], rtol=0.1, atol=0)
sys.exit(shown)
