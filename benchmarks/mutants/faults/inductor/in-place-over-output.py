"""A buffer is overwritten in place by its last reader though it is also an output of the graph.

Whether a node may write over its operand is decided by who else is still to read it. The graph's outputs are not
counted.

Triggers on an output that is the result of a library kernel (a matrix product, a convolution) or of an earlier loop,
and an elementwise operator on it in a kernel of its own, with a result of equal size and type.

Modelled on: paper 004 (PolyJuice), section 6.1, bug study 3 and figure 9: Hidet's intermediate result that is also an
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
