"""The compiler replaces a copy of an input by the input, although the input changes before the copy is read."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198131"
CAUSE = "mutation"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["Add"]


class Module(torch.nn.Module):
    def forward(self, target, source):
        target[0:, :] = source[0:, :]
        source.add_(1)
        return target, source


def program():
    return Module(), (torch.zeros(3, 4), torch.arange(12.0).reshape(3, 4))
