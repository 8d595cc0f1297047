"""Torch modules that tests import. Only ``library`` imports this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

X = torch.arange(8, dtype=torch.float32).reshape(2, 4) - 3
PAIR = torch.arange(6.0).reshape(2, 3)
FIRST, SECOND = torch.arange(12.0).reshape(4, 3), torch.full((4, 3), 2.0)


class Everything(torch.nn.Module):
    """Code that importers like to normalise: views, values with indices, new tensors, in-place operators."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
        self.register_buffer("count", torch.ones(3))
        self.table = torch.arange(3.0)

    def forward(self, x: Any, scale: Any = None) -> Any:
        hidden = self.linear(x).view(-1, 3)
        values, indices = hidden.max(dim=1, keepdim=True)
        hidden = hidden.clone()
        hidden.add_(1.0)
        hidden[:, 0] = 2
        self.count += 1
        shifted = hidden * torch.arange(3, dtype=torch.float32) + self.table
        return {"best": (values, indices)}, shifted * self.count * scale, x, torch.full((2,), float("inf"))


class Stateful(torch.nn.Module):
    """A module that writes into an input, two buffers and its result."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("cache", torch.ones(4, 3), persistent=False)

    def forward(self, x: Any, y: Any) -> Any:
        self.steps += 1
        self.cache[1:3] = x[:2]
        y.mul_(x)
        return y + self.cache, y


class Grouped(torch.nn.Module):
    """A module that groups its rows in pairs: y has twice as many rows as x."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 6)

    def forward(self, x: Any, y: Any) -> Any:
        rows = self.linear(x).view(x.shape[0], 2, 3)
        return rows * x.shape[0], x + y[::2]


class Function(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *tensors: Any) -> Any:
        return self.function(*tensors)
