"""``max`` along an axis returns the index 0 everywhere if one input is a transposed view."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/178964"
CAUSE = "vectorization"
WRONG = ["2.5.1", "2.8.0"]
RIGHT = ["2.13.0"]
PART = ""
OPERATORS = ["ReduceMax", "ArgMax"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return (x + y).max(dim=1)


def program():
    torch.manual_seed(0)
    return Module(), (torch.randn(16, 16).t(), torch.randn(16, 16))
