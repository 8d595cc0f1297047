"""torch.compile returns one tensor for two clones of a computed value, in PyTorch 2.15.0 on the CPU.

Who writes into one of the results writes into the other. Uncompiled each clone has memory of its own, and so it has with
the backends ``aot_eager`` and ``aot_eager_decomp_partition``. Exits 1 where the bug shows, 0 where it does not, 2 where
this could not run. Reduced by hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def two(x):
    y = x + 1
    return y.clone(), y.clone()


# The check: compiled, the program must do as eager does.
shown = False
for backend in ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor"):
    torch._dynamo.reset()
    first, second = torch.compile(two, backend=backend)(torch.zeros(3))
    first.add_(1)
    print(f"{backend}: after the first clone is written into, the second is {second.tolist()}")
    shown |= backend == "inductor" and not torch.equal(second, torch.ones(3))
sys.exit(shown)
