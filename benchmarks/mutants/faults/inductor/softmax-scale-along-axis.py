"""A factor moves out of softmax's maximum, although it varies along the axis.

For stability the joint graph's pass makes x * w - max(x * w) into (x - max(x)) * w, if w is constant along the axis
of the maximum. It checks that by the size of w along the axis. If w has fewer dimensions, the fault aligns them on the
left instead of the right. An axis that w then seems to lack counts as broadcast.

Triggers on a softmax (or the difference from a maximum) of a product or quotient with a tensor of lower rank. The axis
must be one that this tensor has, such as the last one for a vector.

Modelled on: NNSmith, section 5.4: wrong expression simplification, and wrong broadcasting of lower ranks in
TVM.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.joint_graph"


def plant(joint_graph: Any) -> None:
    """Replace the patterns' condition."""
    import torch

    right = joint_graph._other_is_broadcasted_in_dim

    def other_is_broadcasted_in_dim(match: Any) -> bool:
        other, inp, dims = match.kwargs["other"], match.kwargs["inp"], match.kwargs["dim"]
        if not isinstance(other, torch.fx.Node):
            return True
        if not isinstance(inp, torch.fx.Node):
            return False
        shape, rank = other.meta["val"].shape, inp.meta["val"].ndim
        if rank < len(shape):
            return False
        axes = [dim % rank for dim in ([dims] if isinstance(dims, int) else dims)]
        wrong = all(axis >= len(shape) or shape[axis] == 1 for axis in axes)
        if wrong != right(match):
            meet(__name__)
        return wrong

    for entries in joint_graph.pass_patterns[1].patterns.values():
        for entry in entries:
            if entry.extra_check is right:
                entry.extra_check = other_is_broadcasted_in_dim
