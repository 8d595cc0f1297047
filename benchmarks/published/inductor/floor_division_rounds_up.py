"""Floor division of floats rounds the quotient before it takes the floor."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/197895"
CAUSE = "decomposition"
WRONG = ["2.1.0", "2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["floor_divide"]


class Module(torch.nn.Module):
    def forward(self, a, b):
        return a // b


def program():
    return Module(), (torch.tensor([1.0, 0.5, 6.0]), torch.tensor([0.1, 0.1, 0.2]))
