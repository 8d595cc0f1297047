"""``sinh`` becomes half a difference of exponentials, which overflow although the result does not."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/183763"
CAUSE = "decomposition"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["Sinh"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.sinh(x)


def program():
    return Module(), (torch.tensor([-89.25, -1.0, 0.5, 88.9, 89.1]),)
