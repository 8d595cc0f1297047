"""A Where with a negated comparison is inverted twice: its operands are exchanged, and so is the comparison.

where(not (x < y), a, b) may become where(x < y, b, a), or where(x >= y, a, b). It becomes where(x >= y, b, a).

Triggers on Where with Not of Less as its condition, if the comparison and the Not have no other use. The operands are
integers, since NaN rules out the second way.

Modelled on: PolyJuice, section 6.1, bug study 2: the condition that TVM's fusion turned round; NNSmith
(NNSmith), section 5.4: wrong expression simplification.
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
    less = CallFunction(aten.lt.Tensor, KeywordArg("x"), KeywordArg("y"))
    negated = CallFunction([aten.logical_not.default, aten.bitwise_not.default], less)

    def of_integers(match: Any) -> bool:
        return not any(match.kwargs[name].meta["val"].is_floating_point() for name in ("x", "y"))

    @register_graph_pattern(
        CallFunction(aten.where.self, negated, KeywordArg("a"), KeywordArg("b")),
        pass_dict=joint_graph.patterns,
        extra_check=of_integers,
    )
    def invert_condition(match: Any, x: Any, y: Any, a: Any, b: Any) -> None:
        match.replace_by_example(lambda p, q, r, s: torch.where(p >= q, s, r), [x, y, a, b])
        meet(__name__)
