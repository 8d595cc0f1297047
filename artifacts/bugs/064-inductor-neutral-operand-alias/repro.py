"""torch.compile returns the operand itself for ``x + zeros`` and ``x * ones``, in PyTorch 2.15.0 on the CPU.

Uncompiled the result is a tensor of its own, and so it is with the backends ``aot_eager`` and
``aot_eager_decomp_partition``. Who writes into the compiled result writes into the input. Exits 1 where the bug shows, 0
where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def added(x):
    return x + torch.zeros(3)


def multiplied(x):
    return x * torch.ones(3)


# The check: compiled, the program must do as eager does.
shown = False
for function in (added, multiplied):
    for backend in ("eager", "aot_eager", "inductor"):
        torch._dynamo.reset()
        x = torch.ones(3)
        torch.compile(function, backend=backend)(x).add_(1)
        print(f"{function.__name__}, {backend}: after its result is written into, the input is {x.tolist()}")
        shown |= backend == "inductor" and not torch.equal(x, torch.ones(3))
sys.exit(shown)
