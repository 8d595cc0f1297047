"""torch.compile drops keys where a bool is added to the scores of attention, in PyTorch 2.15.0 on the CPU.

Added, True is 1 and False is 0. Compiled the bool becomes the mask of scaled_dot_product_attention, where False means
that the key is dropped. The other scores are 0, so that the keys have the weights 0.731 and 0.269; the values are 0 and
1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

# The check: compiled, the program must do as eager does.
def attend(q, k, v, added):
    q, k, v = (x.permute(0, 2, 1, 3) for x in (q, k, v))
    scores = q @ k.permute(0, 1, 3, 2) + added
    return scores.float().softmax(-1).type_as(q) @ v


q = k = torch.zeros(2, 2, 2, 4, dtype=torch.float16)
v = torch.tensor([0.0, 1.0], dtype=torch.float16).view(1, 2, 1, 1).repeat(2, 1, 2, 4)
added = torch.tensor([[True, False], [True, False]])


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(attend, backend=backend)(q, k, v, added)
for backend, result in results.items():
    print(f"{backend}: {result[0, 0, 0, 0].item()}")
sys.exit(not torch.allclose(results["eager"], results["inductor"], rtol=1e-2))
