"""The negation of a uint8 sum is computed in C++'s int and does not wrap around."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/113016"
CAUSE = "type"
WRONG = ["2.1.0"]
RIGHT = ["2.13.0"]
PART = ""
OPERATORS = ["Add", "Neg", "Cast"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return torch.neg(x + y).to(torch.int32)


def program():
    return Module(), (torch.tensor([200, 30, 7], dtype=torch.uint8), torch.tensor([100, 5, 4], dtype=torch.uint8))
