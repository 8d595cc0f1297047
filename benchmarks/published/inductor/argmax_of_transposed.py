"""``argmax`` of a transposed view returns the position in memory order."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/183082"
CAUSE = "layout"
WRONG = ["2.1.0", "2.5.1", "2.8.0"]
RIGHT = ["2.13.0"]
PART = ""
OPERATORS = ["Sin", "Transpose", "ArgMax"]


class Module(torch.nn.Module):
    def forward(self, x):
        x = x.clone()
        x.sin_()
        return x.t().argmax()


def program():
    torch.manual_seed(0)
    return Module(), (torch.randn(5, 7),)
