"""A right shift by the width of the type is undefined in C++, and shifts nothing."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/143555"
CAUSE = "codegen"
WRONG = ["2.1.0", "2.5.1"]
RIGHT = ["2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["bitwise_right_shift"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return torch.bitwise_right_shift(x, y)


def program():
    return Module(), (torch.tensor(1000), torch.tensor(64))
