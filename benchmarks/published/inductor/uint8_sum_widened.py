"""A uint8 sum is computed in C++'s int and does not wrap around before a cast."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/105264"
CAUSE = "type"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["Add", "Cast"]


class Module(torch.nn.Module):
    def forward(self, x):
        return (x + x).to(torch.int16)


def program():
    return Module(), (torch.tensor([128, 200, 7], dtype=torch.uint8),)
