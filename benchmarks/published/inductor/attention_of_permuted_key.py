"""A permuted key matches the attention pattern as if it were a transposed one."""

import torch

LINK = "https://github.com/pytorch/pytorch/issues/195320"
CAUSE = "pattern"
WRONG = ["2.5.1", "2.8.0", "2.13.0"]
RIGHT = ["2.1.0"]
PART = ""
OPERATORS = ["MatMul", "Mul", "Softmax", "Transpose"]


class Module(torch.nn.Module):
    def forward(self, query, key, value):
        scores = torch.matmul(query, key.permute(0, 2, 3, 1)) * 0.5
        return torch.matmul(scores.softmax(dim=-1), value)


def program():
    torch.manual_seed(0)
    return Module(), (torch.randn(1, 4, 4, 8), torch.randn(1, 4, 4, 8), torch.randn(1, 4, 4, 8))
