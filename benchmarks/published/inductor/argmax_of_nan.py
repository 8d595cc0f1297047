"""``argmax`` and ``argmin`` skip NaN, but eager returns its index."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/118266"
CAUSE = "codegen"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["ArgMax", "ArgMin"]


class Module(torch.nn.Module):
    def forward(self, x):
        return x.argmax(), x.argmin()


def program():
    return Module(), (torch.tensor([1.0, float("nan"), 3.0]),)
