"""``remainder`` of float16 by a number takes the number as it is; eager mode rounds it to float16 first."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/183083"
CAUSE = "type"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["remainder"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.remainder(x, 3.14)


def program():
    return Module(), (torch.tensor([-3.140625, 1.0, 6.0], dtype=torch.float16),)
