"""``argmin`` of a sum with a transposed view returns the position in memory order."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/197739"
CAUSE = "layout"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["Transpose", "Add", "ArgMin"]


class Module(torch.nn.Module):
    def forward(self, x):
        return (x.t() + 0.5).argmin()


def program():
    return Module(), (torch.tensor([[1.5, -0.25], [-2.0, 0.5]]),)
