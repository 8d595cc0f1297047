"""argmax over two axes gives a wrong index in TorchInductor of torch 2.15.0 on the CPU, where the first is vectorised.

The kernel takes 16 rows at once and numbers them 1 apart, although a row has two elements. Exits 1 where the bug
shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def argmax_of_sum(x):
    return (x[:, None] + torch.arange(2.0)).argmax()  # the largest element stands in row 3, column 1: 3 * 2 + 1


x = torch.zeros(16)
x[3] = 1

# The check: compiled, the program must do as eager does.
expected = argmax_of_sum(x).item()
print("eager:   ", expected)
compiled = torch.compile(argmax_of_sum)(x).item()
print("compiled:", compiled)
sys.exit(compiled != expected)
