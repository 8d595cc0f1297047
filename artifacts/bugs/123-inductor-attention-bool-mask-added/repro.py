"""torch.compile drops keys where a bool is added to the scores of attention, in PyTorch 2.13.0 on the CPU.

Added, True is 1 and False is 0. Compiled the bool becomes the mask of scaled_dot_product_attention, where False means
that the key is dropped. The other scores are 0, so that the keys have the weights 0.731 and 0.269; the values are 0 and
1.

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
    try:
        with torch.no_grad():
            results[backend] = torch.compile(attend, backend=backend)(q, k, v, added)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
for backend, result in results.items():
    print(f"{backend}: {result[0, 0, 0, 0].item()}")
sys.exit(not torch.allclose(results["eager"], results["inductor"], rtol=1e-2))
