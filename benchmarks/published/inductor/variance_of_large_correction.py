"""The divisor of a variance becomes negative if the correction exceeds the number of elements."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/113167"
CAUSE = "decomposition"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["var"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.var(x, dim=-1, correction=5)


def program():
    return Module(), (torch.tensor([[1.0, 2.0, 4.0]]),)
