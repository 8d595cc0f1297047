"""``x + 0`` becomes ``x``, which differs if x is -0.0."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/189799"
CAUSE = "pattern"
WRONG = ["2.1.0", "2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["Ceil", "Add", "Reciprocal"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.reciprocal(torch.ceil(x) + torch.zeros_like(x))


def program():
    return Module(), (torch.tensor([-0.5, -0.1, 2.5]),)
