"""Rows that are added to their own tensor are read from it after some of them have been written."""

import torch

LINK = "https://github.com/pytorch/pytorch/pull/185450"
CAUSE = "mutation"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["index_add"]


class Module(torch.nn.Module):
    def forward(self, x, rows):
        doubled = x * 2
        return doubled.index_add(0, rows, doubled)


def program():
    return Module(), (torch.arange(1.0, 9.0).reshape(4, 2), torch.tensor([1, 2, 3, 0]))
