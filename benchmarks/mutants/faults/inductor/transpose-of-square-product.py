"""The transpose of a matrix product moves to its operands, but does not exchange them if the shapes allow that.

(a b)^T is b^T a^T. The pass makes it a^T b^T if those shapes fit and the product has the result's shape.

Triggers on Transpose of the MatMul of two matrices, all of them square.

Modelled on: NNSmith, section 5.4: wrong layout analysis; the rules of transpose, PolyJuice,
table 1, are there to find such.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.post_grad"


def plant(post_grad: Any) -> None:
    """Add a pattern."""
    import torch
    from torch._inductor.pattern_matcher import CallFunction, KeywordArg, register_graph_pattern

    aten = torch.ops.aten
    product = CallFunction(aten.mm.default, KeywordArg("left"), KeywordArg("right"))

    def fits(match: Any) -> bool:
        left, right = (match.kwargs[name].meta["val"].shape for name in ("left", "right"))
        return bool(left[0] == right[1] == right[0])

    @register_graph_pattern(
        CallFunction(aten.permute.default, product, [1, 0]), pass_dict=post_grad.pass_patterns[0], extra_check=fits
    )
    def permute_operands(match: Any, left: Any, right: Any) -> None:
        match.replace_by_example(lambda a, b: torch.mm(a.permute(1, 0), b.permute(1, 0)), [left, right])
        meet(__name__)
