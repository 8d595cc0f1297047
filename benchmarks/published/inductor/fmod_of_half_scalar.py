"""``fmod`` of float16 by a number takes the number as it is; eager mode rounds it to float16 first."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/186875"
CAUSE = "type"
WRONG = ["2.13.0", "2.15.0"]
RIGHT = []
PART = ""
OPERATORS = ["fmod"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.fmod(x, 100.1)


def program():
    return Module(), (torch.tensor([100.125, 200.25, 50.0], dtype=torch.float16),)
