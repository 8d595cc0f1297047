"""A clone of an input is dropped, although a later update in place changes that input."""

import torch

LINK = "https://github.com/pytorch/pytorch/pull/198096"
CAUSE = "mutation"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["index_copy", "Clip"]


class Module(torch.nn.Module):
    def forward(self, x, index):
        x.index_fill_(0, index, 9.0)
        y = x.clone()
        x.clamp_(0.0, 5.0)
        return x, y


def program():
    return Module(), (torch.arange(24.0).reshape(4, 6), torch.tensor([0, 2]))
