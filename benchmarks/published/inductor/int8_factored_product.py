"""A product with an int8 sum is computed in C++'s int and does not wrap around."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/109105"
CAUSE = "type"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["Add", "Mul", "Cast"]


class Module(torch.nn.Module):
    def forward(self, a, b, c):
        return torch.mul(a + b, c).to(torch.float32)


def program():
    return Module(), (
        torch.tensor([100, 30, 7], dtype=torch.int8),
        torch.tensor([100, 90, 4], dtype=torch.int8),
        torch.tensor([3, 5, 2], dtype=torch.int8),
    )
