"""A fused loop reads a tensor of zeros before ``index_add`` has added to it."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/108963"
CAUSE = "mutation"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["index_add", "Div"]


class Module(torch.nn.Module):
    def forward(self, source):
        total = torch.zeros(1, dtype=torch.float64)
        index = torch.tensor([0])
        return total.index_add(0, index, source, alpha=2.0) / 2


def program():
    return Module(), (torch.tensor([0.7], dtype=torch.float64),)
