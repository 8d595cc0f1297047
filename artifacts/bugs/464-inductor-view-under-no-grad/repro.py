"""A view of a parameter made under no_grad has a grad_fn under torch.compile of torch 2.13.0 and 2.15.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import torch


def function(x, weight):
    with torch.no_grad():
        target = weight.t()
    return x @ weight, target


def call(function):
    weight = torch.ones(1, 1, requires_grad=True)
    result, target = function(torch.ones(1, 1), weight)
    (result + target * 3).sum().backward()  # target is not to count
    return target.grad_fn is not None, weight.grad.item()


due, given = call(function), call(torch.compile(function))
print(f"eager: {due}, compiled: {given}")
sys.exit(given != due)
