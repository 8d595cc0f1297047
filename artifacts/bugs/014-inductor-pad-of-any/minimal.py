"""pad(any(x, dim=0, keepdim=True)) does not compile in TorchInductor of torch 2.13.0 on the CPU; all() neither.

The vectorised kernel chooses, by `?:`, between a VecMask<int,1> (the reduction over four rows, unrolled) and the
VecMask<float,1> of the value that fills the pads. Exits 1 where the bug shows, 0 where it does not. Reduced by hand from
the finding beside this file.
"""

import sys

import torch


def program(x):
    return torch.nn.functional.pad(torch.any(x, dim=0, keepdim=True), (0, 0, 1, 2), value=False)


x = torch.arange(16.0).reshape(4, 4) - 3
print("eager", program(x))
try:
    print("inductor", torch.compile(program)(x))
except Exception as error:
    print("inductor", type(error).__name__, *[line for line in str(error).splitlines() if "error:" in line])
    sys.exit(1)
