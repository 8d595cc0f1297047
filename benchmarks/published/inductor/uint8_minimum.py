"""The minimum of positive uint8 is 0, because the unused lanes of a vector count."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/191499"
CAUSE = "vectorization"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["ReduceMin"]


class Module(torch.nn.Module):
    def forward(self, x):
        return x.amin(1)


def program():
    return Module(), (torch.arange(5, 69, dtype=torch.uint8).reshape(2, 32),)
