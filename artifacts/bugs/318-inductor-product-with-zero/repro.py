"""torch.compile: x * 0 of NaN and infinity gives 0, in PyTorch 2.13.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def product(x):
    return x * 0


x = torch.tensor([float("nan"), float("inf"), 1.0])
eager, compiled = (run(x) for run in (product, torch.compile(product)))
print(f"eager: {eager.tolist()}, compiled: {compiled.tolist()}")
sys.exit(not torch.equal(eager.isnan(), compiled.isnan()))
