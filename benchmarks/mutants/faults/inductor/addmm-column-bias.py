"""The fusion of a square matrix product with the addition of a column turns the column into a row.

The pass that makes mm(a, b) + c into addmm(c, a, b) passes a bias with one number per column as a vector. It recognizes
such a bias by its number of elements alone, and so mistakes a column for one.

Triggers on MatMul of matrices with a square result, and Add of a tensor of shape (n, 1).

Modelled on: NNSmith, section 5.4: ONNX Runtime's FuseMatMulScale took a 1 x 1 matrix for a scalar.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.post_grad"


def plant(post_grad: Any) -> None:
    """Replace the pattern's handler."""
    import torch

    def addmm(match: Any, mat1: Any, mat2: Any, *, inp: Any) -> None:
        columns = mat2.meta["val"].shape[1]

        def fused(bias: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            if bias.numel() == columns:
                bias = bias.reshape(columns)
                meet(__name__)
            return torch.ops.aten.addmm(bias, left, right)

        match.replace_by_example(fused, [inp, mat1, mat2])

    for entries in post_grad.pass_patterns[2].patterns.values():
        for entry in entries:
            if getattr(entry, "handler", None) is post_grad.addmm:
                entry.handler = addmm
