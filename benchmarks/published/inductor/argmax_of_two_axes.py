"""``argmax`` over two loops counts only the inner loop."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/113013"
CAUSE = "codegen"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["Slice", "ArgMax"]


class Module(torch.nn.Module):
    def forward(self, x):
        return x[:, :2].argmax()


def program():
    return Module(), (torch.arange(27.0).reshape(9, 3),)
