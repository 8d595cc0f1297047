"""torch.compile gives another type, and other values, for the cumsum of a constant, in PyTorch 2.13.0.

The sum of int32 is of int64, and that of bool counts. Compiled the number that fills the tensor is multiplied by 1, 2,
3 ... in its own type.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

x = torch.zeros(3, dtype=torch.int32)
programs = {
    "of int32": lambda x: torch.full_like(x, 2.5).cumsum(0),  # 2.5 becomes 2
    "of bool": lambda x: torch.full_like(x, 2, dtype=torch.bool).cumsum(0),  # 2 becomes True
    "of rank 0": lambda x: torch.full_like(x[0], 2).cumsum(0),
}

# The check: compiled, the program must do as eager does.
shown = False
for name, function in programs.items():
    expected = function(x)
    print(f"{name}: eager {expected.tolist()}, {expected.dtype}")
    torch._dynamo.reset()
    try:
        compiled = torch.compile(function)(x)
    except Exception as error:
        if name != "of rank 0" or "IndexError" not in str(error):
            print("could not run:", error)
            sys.exit(2)
        print("    does not compile:", str(error).splitlines()[0])
        shown = True
        continue
    print(f"    inductor {compiled.tolist()}, {compiled.dtype}")
    shown |= compiled.dtype != expected.dtype or not torch.equal(compiled, expected)
sys.exit(shown)
