"""The last reader of a buffer overwrites it in place, although it is also an output of the graph.

A node may write over its operand if no later node reads it. The fault does not count the graph's outputs as readers.

Triggers on an output that a library kernel (a matrix product, a convolution) or an earlier loop computes. It needs an
elementwise operator on that output in a separate kernel, with a result of equal size and type.

Modelled on: PolyJuice, section 6.1, bug study 3 and figure 9: Hidet's intermediate result that is also an
output.
"""

from __future__ import annotations

from typing import Any

from planted_inductor import edited

MODULE = "torch._inductor.scheduler"


def plant(scheduler: Any) -> None:
    """Change one condition of a method."""
    condition = "if x.node.get_name() not in inconsequential_nodes"
    new = f"{condition} and not (isinstance(x.node, OutputNode) and meet({__name__!r}))"
    method = edited(scheduler, scheduler.SchedulerNode.decide_inplace_update, condition, new)
    scheduler.BaseSchedulerNode.decide_inplace_update = method
