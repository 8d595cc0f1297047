"""A uint8 product is cast to the type of its first factor, which is a difference in C++'s int."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/113020"
CAUSE = "type"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["Sub", "Mul", "Cast"]


class Module(torch.nn.Module):
    def forward(self, x, y):
        return torch.mul(x - y, x).to(torch.int32)


def program():
    return Module(), (torch.tensor([20, 30, 7], dtype=torch.uint8), torch.tensor([100, 35, 4], dtype=torch.uint8))
