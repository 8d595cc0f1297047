"""torch.compile gives float32 for attention that is cast to float16, in PyTorch 2.15.0 on the CPU.

The weights and the values are cast before the last product, which is of float16. Compiled all is computed in float32,
and the result has that type. The value 1/3 is 0.333251953125 in float16.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

# The check: compiled, the program must do as eager does.
def attend(q, k, v):
    q, k, v = (x.permute(0, 2, 1, 3) for x in (q, k, v))
    return (q @ k.transpose(-2, -1) / 2.0).softmax(-1).half() @ v.half()


q = k = torch.zeros(2, 2, 2, 4)
v = torch.full((2, 2, 2, 4), 1 / 3)


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(attend, backend=backend)(q, k, v)
for backend, result in results.items():
    print(f"{backend}: {result[0, 0, 0, 0].item()}, {result.dtype}")
sys.exit(results["eager"].dtype != results["inductor"].dtype)
