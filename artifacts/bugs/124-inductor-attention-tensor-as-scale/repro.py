"""Attention whose scale is a tensor does not compile in PyTorch 2.13.0 on the CPU.

Uncompiled the result is 1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

# The check: compiled, the program must do as eager does.
def attend(q, k, v, mask, scale):
    return (q @ k.transpose(-2, -1) / scale + mask).softmax(-1) @ v


q = k = torch.zeros(2, 2, 2, 4)
v = torch.ones(2, 2, 2, 4)
arguments = q, k, v, torch.zeros(2, 2), torch.tensor(4.0)
print("eager:", attend(*arguments)[0, 0, 0, 0].item())
try:
    with torch.no_grad():
        print("inductor:", torch.compile(attend)(*arguments)[0, 0, 0, 0].item())
except Exception as error:
    print(str(error).partition("Declaration")[0])
    sys.exit(1 if "for argument 'scale'" in str(error) else 2)
sys.exit(0)
