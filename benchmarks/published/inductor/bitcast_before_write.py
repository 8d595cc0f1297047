"""A value is read through a view of another type only after a later write to the input."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198101"
CAUSE = "mutation"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["Mul", "Add"]


class Module(torch.nn.Module):
    def forward(self, x):
        y = x.view(torch.int32) * 2
        y.add_(4)
        x[:, 2:5] = 2
        return y.view(torch.int64)


def program():
    return Module(), (torch.arange(24).reshape(4, 6),)
