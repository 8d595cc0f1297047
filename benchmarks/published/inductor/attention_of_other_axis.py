"""A softmax over the queries matches the attention pattern, and is computed over the keys."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/196468"
CAUSE = "pattern"
WRONG = ["2.13.0"]
RIGHT = ["2.15.0"]
PART = ""
OPERATORS = ["MatMul", "Softmax", "Transpose"]


class Module(torch.nn.Module):
    def forward(self, query, key, value):
        scores = torch.matmul(query, key.transpose(-2, -1)) / 2.0
        return torch.matmul(scores.softmax(dim=-2), value)


def program():
    numbers = torch.arange(128.0).reshape(2, 4, 4, 4)
    return Module(), (torch.sin(numbers), torch.cos(numbers), torch.sin(numbers * 3))
