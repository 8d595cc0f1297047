"""Vectorised ``atanh`` takes the logarithm of a quotient near 1, which rounds a small number to a coarse grid."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198183"
CAUSE = "vectorization"
WRONG = ["2.13.0", "2.15.0"]
RIGHT = []
PART = ""
OPERATORS = ["Atanh"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.atanh(x) * 1e8


def program():
    return Module(), (torch.linspace(1e-8, 4e-8, 32),)
