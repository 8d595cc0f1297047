"""``erfinv`` of float64 near 1 is off in the fourth digit: two steps of Newton's method cancel there."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198133"
CAUSE = "codegen"
WRONG = ["2.13.0", "2.15.0"]
RIGHT = []
PART = ""
OPERATORS = ["erfinv"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.erfinv(x)


def program():
    return Module(), (1 - torch.tensor([2e-16, 1e-15, 1e-3], dtype=torch.float64),)
