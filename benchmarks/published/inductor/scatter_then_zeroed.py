"""The compiler writes a scatter's result into its input, which a later statement sets to zero."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198094"
CAUSE = "mutation"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["slice_scatter"]


class Module(torch.nn.Module):
    def forward(self, x, source):
        y = torch.slice_scatter(x, source, dim=0, start=1, end=3)
        x.zero_()
        return y


def program():
    return Module(), (torch.arange(24.0).reshape(4, 6), torch.arange(12.0).reshape(2, 6))
