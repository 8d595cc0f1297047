"""An operand of where that has fewer axes than the result is aligned with the result's first axes.

Triggers on where with a value of lower rank that is not a scalar. Its sizes must fit both the first axes and the last,
as with square matrices.
Modelled on: NNSmith, section 5.4, wrong broadcasting: TVM's Where and its operand of lower rank.
"""

from typing import Any

from planted_relax import Code, before_pipeline, name, shape
from tvm import relax

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    result = shape(call) if name(call) == "relax.where" else None
    if result is None:
        return None
    found = [aligned(operand, result) for operand in call.args[1:]]
    if all(new is None for new in found):
        return None
    operands = [old if new is None else new for old, new in zip(call.args[1:], found, strict=True)]
    return relax.op.where(call.args[0], *operands)


def aligned(operand: Any, result: tuple[int, ...]) -> Any:
    """Return the operand with axes of size 1 after its own; None if that does not broadcast to the result."""
    sizes = shape(operand)
    if not sizes or len(sizes) == len(result):
        return None
    if not all(size in (1, whole) for size, whole in zip(sizes, result, strict=False)):
        return None
    return relax.op.reshape(operand, (*sizes, *(1 for _ in result[len(sizes) :])))


plant = before_pipeline(rewrite)
