"""Inductor: as_strided of a slice with one element reads the first element of the tensor, in PyTorch 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def last(x):
    return torch.as_strided((x * 2)[-1:], (1,), (1,))


x = torch.arange(1.0, 10.0)
eager, compiled = last(x).item(), torch.compile(last)(x).item()
print(f"eager: {eager}, compiled: {compiled}")
sys.exit(eager != compiled)
