"""torch.compile: a row of torch.ones_like(x).cumsum(0) is one number in memory, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def positions(x):
    return torch.ones_like(x).cumsum(0)


def written(run):
    y = run(torch.zeros(2, 3, dtype=torch.int64))
    y[0, 0] = 100
    return y.tolist()


eager, compiled = written(positions), written(torch.compile(positions))
print(f"after y[0, 0] = 100: eager {eager}, compiled {compiled}")
sys.exit(eager != compiled)
