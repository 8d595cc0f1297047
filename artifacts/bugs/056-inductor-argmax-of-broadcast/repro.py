"""argmax over two axes gives a wrong index in TorchInductor of torch 2.13.0 on the CPU, where the first is vectorised.

The kernel takes 16 rows at once and numbers them 1 apart, although a row has two elements. Exits 1 where the bug
shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
try:
    import torch
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def argmax_of_sum(x):
    return (x[:, None] + torch.arange(2.0)).argmax()  # the largest element stands in row 3, column 1: 3 * 2 + 1


x = torch.zeros(16)
x[3] = 1
expected = argmax_of_sum(x).item()
print("eager:   ", expected)
try:
    compiled = torch.compile(argmax_of_sum)(x).item()
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
print("compiled:", compiled)
sys.exit(compiled != expected)
