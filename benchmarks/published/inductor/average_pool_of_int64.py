"""The reciprocal of the kernel's size becomes the integer 0, and so do all averages."""

import torch
from torch.nn import functional

LINK = "https://github.com/pytorch/pytorch/issues/143738"
CAUSE = "codegen"
WRONG = ["2.1.0", "2.5.1"]
RIGHT = ["2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["avg_pool2d"]


class Module(torch.nn.Module):
    def forward(self, x):
        return functional.avg_pool2d(x, 2)


def program():
    return Module(), (torch.arange(16).reshape(1, 1, 2, 8),)
