"""``argmax`` of a pooled transposed view returns the position in memory order."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/193492"
CAUSE = "layout"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["adaptive_avg_pool1d", "ArgMax"]


class Module(torch.nn.Module):
    def forward(self, x):
        return torch.argmax(torch.adaptive_avg_pool1d(x, 2))


def program():
    torch.manual_seed(123)
    return Module(), (torch.rand(4, 4, 3).transpose(0, 1),)
