"""Nearest interpolation of float64 computes indices in float64, but eager uses float32."""

import torch
from torch.nn import functional

LINK = "https://github.com/pytorch/pytorch/issues/175154"
CAUSE = "decomposition"
WRONG = ["2.1.0", "2.5.1", "2.8.0", "2.13.0"]
RIGHT = []
PART = ""
OPERATORS = ["upsample_nearest2d"]


class Module(torch.nn.Module):
    def forward(self, x):
        return functional.interpolate(x, scale_factor=1.3, mode="nearest")


def program():
    return Module(), (torch.tensor([[[[1.0, 2.0]]]], dtype=torch.float64),)
