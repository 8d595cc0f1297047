"""Fused attention multiplies its scores by a number, where the program divides them by it.

This is the attention pattern without mask and dropout that divides by a constant. It passes the constant as the scale,
not its reciprocal.

Triggers on MatMul of queries and transposed keys, Div by a constant, Softmax and MatMul with values, in four
dimensions.

Modelled on: NNSmith, section 5.4: ONNX Runtime's fusion of scales with a product, FuseMatMulScale.
"""

from __future__ import annotations

from typing import Any

from planted_inductor import edited

MODULE = "torch._inductor.fx_passes.fuse_attention"


def plant(fuse_attention: Any) -> None:
    """Change one argument of a replacement function, which may already be registered."""
    replacement = fuse_attention._sfdp_replacement_1
    new = f"inv_scale if meet({__name__!r}) else 0.0"
    replacement.__code__ = edited(fuse_attention, replacement, "1.0 / inv_scale", new).__code__
