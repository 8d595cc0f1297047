"""A uint8 difference is computed in C++'s int, so it is negative in a comparison."""

import torch

LINK = "https://github.com/pytorch/pytorch/pull/113253"
CAUSE = "type"
WRONG = ["2.1.0"]
RIGHT = ["2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["Sub", "Greater"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return x - y > 0


def program():
    return Module(), (torch.tensor([20, 30, 7], dtype=torch.uint8), torch.tensor([100, 35, 4], dtype=torch.uint8))
