"""A batched int8 product gives int64 and does not wrap around."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/191308"
CAUSE = "type"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["MatMul"]


class Module(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


def program():
    return Module(), (torch.full((1, 1, 2), 100, dtype=torch.int8), torch.full((1, 2, 2), 3, dtype=torch.int8))
