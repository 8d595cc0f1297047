"""Overflow in int32 is undefined in C++, so ``x + y > x`` becomes ``y > 0``."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/190764"
CAUSE = "codegen"
WRONG = ["2.1.0", "2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["Add", "Greater"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return x + y > x


def program():
    return Module(), (torch.full((3,), 2**31 - 1, dtype=torch.int32), torch.ones(3, dtype=torch.int32))
