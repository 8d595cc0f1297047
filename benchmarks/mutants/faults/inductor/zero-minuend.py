"""0 - x is simplified to x, just as 0 + x.

The pass that removes x + 0, x - 0, x * 1 and x / 1 looks for the zero on both sides of a sum. The fault makes it do the
same for a difference.

Triggers on a Sub whose first operand folds to a constant of zeros in the result's shape and type.

Modelled on: PolyJuice, section 2: TVM simplified y - (x * 2) to y + (x * 2) - 1.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.joint_graph"


def plant(joint_graph: Any) -> None:
    """Make the pass also remove 0 - x."""
    import torch

    remove_no_ops = joint_graph.remove_no_ops

    def remove_more(gm: Any, zeros: Any, ones: Any) -> None:
        remove_no_ops(gm, zeros, ones)
        for node in gm.graph.find_nodes(op="call_function", target=torch.ops.aten.sub.Tensor):
            minuend, subtrahend = node.args
            if minuend not in zeros or node.kwargs or not isinstance(subtrahend, torch.fx.Node):
                continue
            before, after = node.meta["val"], subtrahend.meta["val"]
            if (before.shape, before.dtype) == (after.shape, after.dtype):
                node.replace_all_uses_with(subtrahend)
                gm.graph.erase_node(node)
                meet(__name__)

    joint_graph.remove_no_ops = remove_more
