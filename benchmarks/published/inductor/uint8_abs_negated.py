"""``abs`` of uint8 gives C++'s int, so its negation does not wrap around."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/187018"
CAUSE = "type"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["Abs", "Neg", "Concat", "ReduceSum"]


class Module(torch.nn.Module):
    def forward(self, x):
        y = -x.abs()
        return torch.cat([y, y]).sum()


def program():
    return Module(), (torch.tensor([200, 200], dtype=torch.uint8),)
