"""torch.compile: the result of torch.take at a constant place shares memory with its input, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def first(x):
    return torch.take(x, torch.tensor(0))


def written(take):
    x = torch.zeros(3)
    take(x).add_(1)  # into the result
    return x.tolist()


eager, compiled = written(first), written(torch.compile(first))
print(f"the input afterwards: eager {eager}, compiled {compiled}")
sys.exit(eager != compiled)
