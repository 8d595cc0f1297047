"""torch.compile gives 0 for the variance of one element that is NaN or infinite, in PyTorch 2.15.0 on the CPU.

Uncompiled it is NaN, and so it is with the backend ``aot_eager``, and where more than one variance is computed. Exits 1
where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def variance(x):
    return torch.var(x, correction=0)


# The check: compiled, the program must do as eager does.
shown = False
for value in (float("nan"), float("inf")):
    x = torch.tensor([value])
    expected = variance(x)
    compiled = {name: torch.compile(variance, backend=name)(x) for name in ("aot_eager", "inductor")}
    print(f"var([{value}]): uncompiled {expected}, aot_eager {compiled['aot_eager']}, inductor {compiled['inductor']}")
    shown |= bool(compiled["inductor"].isnan() != expected.isnan())
sys.exit(shown)
