"""Two clips in a row are reordered, although their intervals do not meet.

clamp_min(clamp_max(x, high), low) becomes clamp_max(clamp_min(x, low), high), to bring lower bounds together. That is
right only if low <= high.

Triggers on Clip with an upper bound and then Clip with a lower bound above it.

Modelled on: NNSmith, section 5.4: ONNX Runtime's wrong fusion of Relu and Clip.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.joint_graph"


def plant(joint_graph: Any) -> None:
    """Add a pattern to the joint graph's passes."""
    import torch
    from torch._inductor.pattern_matcher import CallFunction, KeywordArg, register_graph_pattern

    aten = torch.ops.aten
    inner = CallFunction(aten.clamp_max.default, KeywordArg("x"), KeywordArg("high"))
    pattern = CallFunction(aten.clamp_min.default, inner, KeywordArg("low"))

    @register_graph_pattern(pattern, pass_dict=joint_graph.patterns)
    def reorder_bounds(match: Any, x: Any, high: float, low: float) -> None:
        def reordered(operand: torch.Tensor) -> torch.Tensor:
            return aten.clamp_max(aten.clamp_min(operand, low), high)

        match.replace_by_example(reordered, [x])
        meet(__name__)
