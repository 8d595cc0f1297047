"""torch.compile gives infinity where eager gives NaN for floor_divide of infinity, in PyTorch 2.13.0 on the CPU.

Eager computes floor division from `fmod`, as Python does: `float("inf") // 1.0` is NaN. Inductor takes the floor of the
quotient. So a negative number by infinity gives -0.0 instead of -1, too. Exits 1 where the bug shows, 0 where it does
not, 2 where this could not run. Reduced from a finding.
"""

import math
import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def divided(x, y):
    return torch.floor_divide(x, y)


x, y = torch.tensor([math.inf, -1.0, 5.0]), torch.tensor([1.0, math.inf, 2.0])

# The check: compiled, the program must do as eager does.
eager, compiled = divided(x, y), torch.compile(divided)(x, y)
print(f"eager: {eager.tolist()}, compiled: {compiled.tolist()}")
sys.exit(not torch.equal(eager.nan_to_num(7), compiled.nan_to_num(7)))
