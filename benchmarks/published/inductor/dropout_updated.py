"""A dropout that does nothing gives a copy, so that an update of its result does not reach the input."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/195422"
CAUSE = "decomposition"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["Dropout", "Add"]


class Module(torch.nn.Module):
    def forward(self, x):
        torch.nn.functional.dropout(x, 0.25, training=False).add_(2)
        return x * 3


def program():
    return Module(), (torch.arange(6.0).reshape(2, 3),)
