"""The clone that protects a tensor from its own overlapping update is dropped."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/197829"
CAUSE = "mutation"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["Slice", "slice_scatter"]


class Module(torch.nn.Module):
    def forward(self, x):
        x[1:] = x[:-1].clone()
        return x


def program():
    return Module(), (torch.arange(192.0).reshape(3, 4, 16),)
