"""torch.compile gives new values for x.reshape(-1) + zeros if x is written into later, in PyTorch 2.15.0.

Uncompiled the sum has memory of its own. The compiler replaces it by its operand, unless that is written into; here it
is a view of what is written into.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def before(x):
    result = x.reshape(-1) + torch.zeros(4)
    x.add_(1)
    return result


# The check: compiled, the program must do as eager does.
results = {}
for backend in ("eager", "inductor"):
    torch._dynamo.reset()
    with torch.no_grad():
        results[backend] = torch.compile(before, backend=backend)(torch.zeros(2, 2))
for backend, result in results.items():
    print(f"{backend}: {result.tolist()}")
sys.exit(not torch.equal(results["eager"], results["inductor"]))
