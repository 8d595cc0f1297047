"""A Torch module with the code that importers like to normalise."""

from __future__ import annotations

from typing import Any

import torch

X = torch.arange(8, dtype=torch.float32).reshape(2, 4) - 3


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
