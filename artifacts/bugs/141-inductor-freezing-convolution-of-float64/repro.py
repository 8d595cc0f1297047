"""With freezing, a convolution of float64 does not compile in PyTorch 2.15.0 on the CPU.

oneDNN has no float64.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch
import torch._inductor.config


model = torch.nn.Conv2d(1, 1, 1).double().eval()
x = torch.ones(1, 1, 2, 2, dtype=torch.float64)

# The check: compiled, the program must do as eager does.
try:
    with torch.no_grad(), torch._inductor.config.patch(freezing=True):
        print(torch.compile(model)(x))
except Exception as error:
    print(str(error).splitlines()[1])
    sys.exit(1 if "itensor_view_from_dense" in str(error) else 2)
sys.exit(0)
