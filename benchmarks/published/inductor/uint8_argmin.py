"""``argmin`` of uint8 gives -1, because the unused lanes of a vector count."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/191499"
CAUSE = "vectorization"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["ArgMin"]


class Module(torch.nn.Module):
    def forward(self, x):
        return x.argmin()


def program():
    return Module(), (torch.arange(60, 20, -1, dtype=torch.uint8),)
