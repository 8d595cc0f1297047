"""The gradient of avg_pool2d with ceil_mode=True is wrong in TorchInductor of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch
import torch.nn.functional as F


def function(x):
    return F.avg_pool2d(x, 2, 2, ceil_mode=True)


def gradient(run):
    x = torch.arange(9.0).reshape(1, 1, 3, 3).requires_grad_()
    run(x).sum().backward()
    return x.grad.flatten().tolist()


due, given = gradient(function), gradient(torch.compile(function))
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
