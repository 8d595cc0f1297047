"""A write through windows with gaps between them also sets what lies in the gaps to 0."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198102"
CAUSE = "mutation"
WRONG = ["2.13.0", "2.15.0"]
RIGHT = []
PART = ""
OPERATORS = ["unfold", "Mul"]


class Module(torch.nn.Module):
    def forward(self, x):
        x.unfold(0, 2, 3).mul_(10)
        return x


def program():
    return Module(), (torch.arange(1.0, 9.0),)
