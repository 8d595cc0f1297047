"""torch.compile masks what a mask of 2 keeps, in PyTorch 2.15.0 on the CPU.

This attention, as DistilBERT has it, drops keys where the mask is 0. Compiled it keeps those where the mask is 1: the
key whose mask is 2 is dropped. Scores are 0, so that the result is the mean of the values 0 and 2.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch

# The check: compiled, the program must do as eager does.
def attend(q, k, v, mask):
    q, k, v = (x.permute(0, 2, 1, 3) for x in (q, k, v))
    scores = q @ k.transpose(-2, -1) / 2.0
    dropped = (mask == 0).view(2, 1, 1, 2).expand_as(scores)
    return scores.masked_fill(dropped, -float("inf")).softmax(-1) @ v


q = k = torch.zeros(2, 2, 2, 4)
v = torch.tensor([0.0, 2.0]).view(1, 2, 1, 1).repeat(2, 1, 2, 4)  # of the first key, and of the second
mask = torch.tensor([[1.0, 2.0], [1.0, 2.0]])


results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(attend, backend=backend)(q, k, v, mask)
for backend, result in results.items():
    print(f"{backend}: {result[0, 0, 0, 0].item()}")
sys.exit(not torch.allclose(results["eager"], results["inductor"], rtol=1e-2))
