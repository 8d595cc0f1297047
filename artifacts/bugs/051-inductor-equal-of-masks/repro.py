"""A comparison of uint8 does not compile where its result is compared with a bool, in TorchInductor 2.15.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def compare(x, b):
    return (x >= x) == b


x, b = torch.arange(4, dtype=torch.uint8), torch.tensor(True)

# The check: compiled, the program must do as eager does.
print("eager:", compare(x, b).tolist())
torch.compile(torch.ge)(x, x)
try:
    print("compiled:", torch.compile(compare)(x, b).tolist())
except Exception as error:
    print("compiled:", type(error).__name__, next(line for line in str(error).splitlines() if "error: " in line)[-200:])
    sys.exit(1)
