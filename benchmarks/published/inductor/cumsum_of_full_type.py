"""The ``cumsum`` of a constant ignores its ``dtype``."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/189518"
CAUSE = "pattern"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = "pattern pointless_cumsum_replacement"
OPERATORS = ["CumSum"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.full((2, 4), 1.5).cumsum(1, dtype=torch.int64) + x


def program():
    return Module(), (torch.tensor([1]),)
