"""torch.compile adds, or copies, rows to a tensor while it reads them from it, in PyTorch 2.13.0 on the CPU.

``index_add``, ``index_copy`` and ``index_put`` make a new tensor. Where the rows are those of the tensor itself, compiled
code writes into it all the same, and reads what it has just written. Uncompiled the result is right, and so it is with
the backends ``aot_eager`` and ``aot_eager_decomp_partition``. Exits 1 where the bug shows, 0 where it does not, 2 where
this could not run. Reduced by hand from a finding, which shows it as an error.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def added(x, rows):
    h = torch.relu(x) + 1
    return h.index_add(0, rows, h)


def copied(x, rows):
    h = torch.relu(x) + 1
    return h.index_copy(0, rows, h)


# The check: compiled, the program must do as eager does.
shown = False
x, rows = torch.arange(6.0).reshape(3, 2), torch.tensor([2, 0, 1])
for function in (added, copied):
    expected = function(x, rows)
    compiled = {name: torch.compile(function, backend=name)(x, rows) for name in ("aot_eager", "inductor")}
    print(f"{function.__name__}: uncompiled {expected.tolist()}")
    for name, result in compiled.items():
        print(f"    {name} {result.tolist()}")
    shown |= not torch.equal(compiled["inductor"], expected)
sys.exit(shown)
