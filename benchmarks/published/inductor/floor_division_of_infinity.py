"""A floor division of infinity gives infinity instead of NaN, and one by infinity 0 instead of -1."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/188048"
CAUSE = "codegen"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["floor_divide"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return torch.floor_divide(x, y)


def program():
    infinity = float("inf")
    return Module(), (torch.tensor([infinity, -2.0, 5.0]), torch.tensor([3.0, infinity, 2.0]))
