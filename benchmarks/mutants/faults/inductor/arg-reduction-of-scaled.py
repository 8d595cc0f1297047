"""ArgMax of x * c becomes ArgMax of x, whatever the sign of c.

A factor common to all elements does not move their maximum or minimum, unless it is negative (or zero).

Triggers on ArgMax or ArgMin of a product of floats and a Python number, if that is at most 0.

Modelled on: PolyJuice, section 6.1, bug study 2 and figure 8: TVM's fusion of neg and argmin.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.fx_passes.post_grad"


def plant(post_grad: Any) -> None:
    """Make the pass that removes operations without effect also remove this factor."""
    import torch

    aten = torch.ops.aten
    remove_noop_ops = post_grad.remove_noop_ops

    def remove_more(graph: torch.fx.Graph) -> None:
        remove_noop_ops(graph)
        for target in (aten.argmax.default, aten.argmin.default):
            for node in graph.find_nodes(op="call_function", target=target):
                scaled = node.args[0]
                if scaled.target is not aten.mul.Tensor or not isinstance(scaled.args[1], (int, float)):
                    continue
                if scaled.meta["val"].is_floating_point() and scaled.args[0].meta["val"].is_floating_point():
                    node.replace_input_with(scaled, scaled.args[0])
                    meet(__name__)

    post_grad.remove_noop_ops = remove_more
