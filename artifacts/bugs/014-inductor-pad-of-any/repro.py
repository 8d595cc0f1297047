"""The pad of any(x, dim=0), of all(x, dim=0) or of a ^ b does not compile in TorchInductor of torch 2.13.0 on the CPU.

Its vectorised kernel chooses, by `?:`, between what is padded, a VecMask<int,1>, and the VecMask<float,1> of the value
that fills the pads. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def pad_of_any(x):
    return torch.nn.functional.pad(torch.any(x, dim=0, keepdim=True), (0, 0, 1, 2), value=False)


def pad_of_xor(x):
    return torch.where(torch.nn.functional.pad((x > 0) ^ (x > 1), (0, 0, 0, 1), value=False)[1:], x, -x)


x = torch.arange(-3.0, 13).reshape(4, 4)
torch.compile(torch.neg)(x)

# The check: compiled, the program must do as eager does.
shows = False
for program in (pad_of_any, pad_of_xor):
    try:
        right = torch.equal(torch.compile(program)(x), program(x))
        print(program.__name__, "compiles;", "right" if right else "wrong")
    except Exception as error:
        lines = [line for line in str(error).splitlines() if "error: " in line]
        print(program.__name__, type(error).__name__, *lines)
        shows = True
sys.exit(shows)
