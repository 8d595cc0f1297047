"""torch.compile returns the input itself for the concatenation of its parts, in PyTorch 2.15.0 on the CPU.

Uncompiled it is a copy. The input is written into afterwards, and compiled the copy changes, too. Without a write in
the program, who writes into the result writes into the input.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def before(x):
    copy = torch.cat(x.split([1, 2], 1), 1)
    x.add_(1)
    return copy


def copied(x):
    return torch.cat(x.split([1, 2], 1), 1)


# The check: compiled, the program must do as eager does.
shown = False
for backend in ("eager", "aot_eager", "inductor"):
    torch._dynamo.reset()
    x = torch.zeros(1, 3)
    old = torch.compile(before, backend=backend)(torch.zeros(1, 3))
    torch.compile(copied, backend=backend)(x).add_(1)
    print(f"{backend}: the copy is {old.tolist()} after the input was written into,")
    print(f"    and the input is {x.tolist()} after the copy was written into")
    shown |= backend == "inductor" and (old.any() or x.any()).item()
sys.exit(shown)
