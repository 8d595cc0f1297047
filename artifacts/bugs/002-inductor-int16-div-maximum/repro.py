"""maximum(div(x, 7), y) of int16 does not compile in TorchInductor of torch 2.15.0 on the CPU.

The scalar loop divides two `short`, which C++ promotes to `int`, and then finds no max_propagate_nan(int, short).
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def program(x, y):
    return torch.maximum(torch.div(x, 7, rounding_mode="trunc"), y)


x, y = torch.arange(40, dtype=torch.int16), torch.tensor(3, dtype=torch.int16)

# The check: compiled, the program must do as eager does.
print("eager", program(x, y))
try:
    print("inductor", torch.compile(program)(x, y))
except Exception as error:
    print("inductor", type(error).__name__, *[line for line in str(error).splitlines() if "error:" in line])
    sys.exit(1)
