"""Arithmetic on an int64 ``arange`` runs in int32 and overflows."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/175966"
CAUSE = "type"
WRONG = ["2.13.0"]
RIGHT = ["2.1.0", "2.5.1", "2.8.0"]
PART = ""
OPERATORS = ["Mul"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.arange(11) * 1_000_000_000 + x


def program():
    return Module(), (torch.tensor([0]),)
