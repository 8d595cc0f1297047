"""torch.compile copies what ``dropout`` returns as it is when it does not train, in PyTorch 2.13.0.

Uncompiled, the result is the input itself: who updates the result updates the input. Compiled, the update is lost, with
the backend ``aot_eager``, too. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by
hand from a finding.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
import torch


def updated(x):
    torch.nn.functional.dropout(x, 0.5, training=False).add_(1)


# The check: compiled, the program must do as eager does.
shown = False
for backend in ("eager", "aot_eager", "inductor"):
    torch._dynamo.reset()
    x = torch.zeros(3)
    torch.compile(updated, backend=backend)(x)
    print(f"{backend}: after the update the input is {x.tolist()}")
    shown |= backend == "inductor" and not torch.equal(x, torch.ones(3))
sys.exit(shown)
