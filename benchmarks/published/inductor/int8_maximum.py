"""The maximum of negative int8 is 0, because the unused lanes of a vector count."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/191499"
CAUSE = "vectorization"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["ReduceMax"]


class Module(torch.nn.Module):
    def forward(self, x):
        return x.amax()


def program():
    return Module(), (-torch.arange(5, 45, dtype=torch.int8),)
