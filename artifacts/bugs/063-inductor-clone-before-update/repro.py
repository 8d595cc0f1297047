"""torch.compile returns what an input holds later, in place of a clone made before, in PyTorch 2.15.0 on the CPU.

A clone of a value is returned; then the input from which the value was made is overwritten. Compiled code drops the
clone, and returns the input with its new values. Uncompiled the result is right, and so it is with the backends
``aot_eager`` and ``aot_eager_decomp_partition``. Exits 1 where the bug shows, 0 where it does not, 2 where this could
not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def row(x, z):
    x[0] = 5.0
    before = x.clone()
    x.copy_(z + 1)
    return before


def copied(x, z):
    before = torch.index_copy(x, 0, torch.tensor([0]), z[:1]).clone()
    x.fill_(2.0)
    return before


# The check: compiled, the program must do as eager does.
shown = False
for function in (row, copied):
    results = {}
    for backend in ("eager", "aot_eager", "inductor"):
        torch._dynamo.reset()
        results[backend] = torch.compile(function, backend=backend)(torch.zeros(2, 3), torch.ones(2, 3))
    print(f"{function.__name__}:", *(f"{name} {result.tolist()}" for name, result in results.items()), sep="\n    ")
    shown |= not torch.equal(results["inductor"], results["eager"])
sys.exit(shown)
