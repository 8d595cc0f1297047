"""An update in place gives its result other strides, and a copy by strides reads the wrong elements."""

import torch

LINK = "https://github.com/pytorch/pytorch/pull/186328"
CAUSE = "layout"
WRONG = ["2.13.0", "2.15.0"]
RIGHT = []
PART = ""
OPERATORS = ["as_strided"]


class Module(torch.nn.Module):
    def forward(self, x):
        x.mul_(3)
        return torch.as_strided_copy(x, (3,), (2,))


def program():
    return Module(), (torch.arange(12.0)[::2],)
