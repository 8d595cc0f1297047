"""``frac`` of -0.0 gives -0.0, but eager gives 0.0."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/183606"
CAUSE = "decomposition"
WRONG = ["2.1.0", "2.5.1", "2.8.0"]
RIGHT = ["2.13.0"]
PART = ""
OPERATORS = ["frac", "Reciprocal"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.reciprocal(torch.frac(x))


def program():
    return Module(), (torch.tensor([-0.0, -0.0, 0.5]),)
