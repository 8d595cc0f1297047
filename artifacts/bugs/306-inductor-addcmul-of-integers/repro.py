"""torch.compile: x.addcmul_(a, b, value=1) of int64 is computed in float32, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def update(x, y):
    return x.addcmul_(y, y, value=1)


x, y = torch.full((16,), 16777217), torch.ones(16, dtype=torch.int64)
eager, compiled = (run(x.clone(), y)[0].item() for run in (update, torch.compile(update)))
print(f"eager: {eager}, compiled: {compiled}")
sys.exit(eager != compiled)
