"""torch.fmod(torch.arange(-6, 6), 3) is never negative in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x):
    rest = torch.fmod(torch.arange(-6, 6), 3)
    return rest, x[rest]


inputs = torch.arange(10.0)
due = [result.tolist() for result in function(inputs)]
given = [result.tolist() for result in torch.compile(function)(inputs)]
print("eager:   ", due[0])
print("compiled:", given[0])
sys.exit(given != due)
