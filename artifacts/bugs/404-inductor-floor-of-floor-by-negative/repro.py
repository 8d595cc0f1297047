"""Floor divisions by 2 and then by -3 are merged into one by -6 in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function():
    return torch.arange(8) // 2 // -3


def round_up(x):
    return -(x.shape[0] // 2 // -3)


sizes = 5, 7, 9
due = function().tolist(), [round_up(torch.zeros(size)) for size in sizes]
compiled = torch.compile(lambda x: (x + 1, round_up(x)), dynamic=True)
given = torch.compile(function)().tolist(), [compiled(torch.zeros(size))[1] for size in sizes]
print("eager:   ", *due)
print("compiled:", *given)
sys.exit(given != due)
