"""torch.compile returns the input itself for the concatenation of its parts, in PyTorch 2.13.0 on the CPU.

Uncompiled it is a copy. The input is written into afterwards, and compiled the copy changes, too. Without a write in
the program, who writes into the result writes into the input.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
try:
    import torch
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def before(x):
    copy = torch.cat(x.split([1, 2], 1), 1)
    x.add_(1)
    return copy


def copied(x):
    return torch.cat(x.split([1, 2], 1), 1)


shown = False
for backend in ("eager", "aot_eager", "inductor"):
    torch._dynamo.reset()
    x = torch.zeros(1, 3)
    try:
        old = torch.compile(before, backend=backend)(torch.zeros(1, 3))
        torch.compile(copied, backend=backend)(x).add_(1)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
    print(f"{backend}: the copy is {old.tolist()} after the input was written into,")
    print(f"    and the input is {x.tolist()} after the copy was written into")
    shown |= backend == "inductor" and (old.any() or x.any()).item()
sys.exit(shown)
