"""The copy back into an input is fused with a read of it at other positions."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198270"
CAUSE = "fusion"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["Mul", "flip", "Add"]


class Module(torch.nn.Module):
    def forward(self, x, index):
        x.index_put_((index,), x * 2)
        x.add_(x.flip(0))
        return x


def program():
    return Module(), (torch.arange(32.0).reshape(4, 8), torch.arange(4))
