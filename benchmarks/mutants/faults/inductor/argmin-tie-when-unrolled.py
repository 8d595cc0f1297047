"""ArgMin over few elements finds the last of equal minima, not the first.

A reduction of fewer than eight elements is unrolled into comparisons. For the minimum, the comparison of equal values
is the wrong way round.

Triggers on ArgMin along an axis of two to seven elements, with more than one result, of numbers with equal minima.

Modelled on: PolyJuice, section 6.1, bug study 2 and figure 8: the condition of TVM's fused argmin.
"""

from __future__ import annotations

from typing import Any

from planted import meet

MODULE = "torch._inductor.ir"


def plant(ir: Any) -> None:
    """Change the order of ties for ArgMin."""
    get_reduction_combine_fn = ir.get_reduction_combine_fn

    def with_last_of_minima(reduction_type: str, dtype: Any, arg_break_ties_left: bool = True) -> Any:
        first = arg_break_ties_left and not (reduction_type == "argmin" and meet(__name__))
        return get_reduction_combine_fn(reduction_type, dtype, first)

    ir.get_reduction_combine_fn = with_last_of_minima
