"""A comparison of uint8 does not compile where its result is compared with a bool, in TorchInductor 2.13.0 on the CPU.

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


def compare(x, b):
    return (x >= x) == b


x, b = torch.arange(4, dtype=torch.uint8), torch.tensor(True)
print("eager:", compare(x, b).tolist())
try:
    torch.compile(torch.ge)(x, x)
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    print("compiled:", torch.compile(compare)(x, b).tolist())
except Exception as error:
    print("compiled:", type(error).__name__, next(line for line in str(error).splitlines() if "error: " in line)[-200:])
    sys.exit(1)
