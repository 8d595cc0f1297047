"""Vectorised ``expm1`` subtracts 1 from ``exp``, which leaves nothing of a small number."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/189803"
CAUSE = "vectorization"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["expm1"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.expm1(x) * 1e8


def program():
    return Module(), (torch.linspace(1e-8, 4e-8, 32),)
