"""torch.compile writes into an input through a view, and reads what it has just written, in PyTorch 2.15.0 on the CPU.

The value that is written is computed of the input itself, in another order (``flip``, ``roll``). Uncompiled the result
is right, and so it is with the backends ``aot_eager`` and ``aot_eager_decomp_partition``, and where no view is written
(``x.copy_``, ``x[:] =``). Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand
from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def flipped(x):
    x.unsqueeze(0).copy_((x + 1).flip(0).unsqueeze(0))


def rolled(x):
    x.unsqueeze(0).copy_((x + 1).roll(-1, 0).unsqueeze(0))


# The check: compiled, the program must do as eager does.
shown = False
for function in (flipped, rolled):
    results = {}
    for backend in ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor"):
        torch._dynamo.reset()
        results[backend] = torch.arange(6.0)
        torch.compile(function, backend=backend)(results[backend])
    print(f"{function.__name__}:", *(f"{name} {x.tolist()}" for name, x in results.items()), sep="\n    ")
    shown |= not torch.equal(results["inductor"], results["eager"])
sys.exit(shown)
