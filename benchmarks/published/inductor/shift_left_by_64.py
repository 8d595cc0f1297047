"""A left shift by the width of the type is undefined in C++, and shifts nothing."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/143566"
CAUSE = "codegen"
WRONG = ["2.1.0", "2.5.1"]
RIGHT = ["2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["bitwise_left_shift"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return torch.bitwise_left_shift(x, y)


def program():
    return Module(), (torch.full((10,), 1000), torch.full((10,), 64))
