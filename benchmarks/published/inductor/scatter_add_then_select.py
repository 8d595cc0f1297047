"""A fused loop reads a row of zeros before ``scatter_add_`` has added to it."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/108963"
CAUSE = "fusion"
WRONG = ["2.1.0"]
RIGHT = ["2.5.1", "2.8.0", "2.13.0"]
PART = ""
OPERATORS = ["index_select"]


class Module(torch.nn.Module):
    def forward(self, x, index):
        total = torch.zeros(1, 4)
        total.scatter_add_(0, index.unsqueeze(-1).expand(-1, 4), x)
        return torch.index_select(total, 0, index)


def program():
    return Module(), (torch.arange(32.0).reshape(8, 4), torch.zeros(8, dtype=torch.int64))
