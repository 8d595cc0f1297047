"""``any`` of uint8 gives bool instead of uint8, so later arithmetic runs in int64."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/198081"
CAUSE = "type"
WRONG = ["2.1.0", "2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["any", "Mul", "Add"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.any(x) * 200 + 100


def program():
    return Module(), (torch.tensor([[0, 3], [0, 0]], dtype=torch.uint8),)
