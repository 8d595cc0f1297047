"""torch.compile gives 0 where eager gives NaN for softshrink of NaN, in PyTorch 2.13.0 on the CPU.

Eager has passed NaN on since pytorch#138421. The decomposition selects 0 where the magnitude is not above the limit,
and NaN is not. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced from a finding.
"""

import math
import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def shrunk(x):
    return torch.nn.functional.softshrink(x, 0.5)


x = torch.tensor([math.nan, 1.0])

# The check: compiled, the program must do as eager does.
eager, compiled = shrunk(x), torch.compile(shrunk)(x)
print(f"eager: {eager.tolist()}, compiled: {compiled.tolist()}")
sys.exit(bool(eager[0].isnan() and not compiled[0].isnan()))
