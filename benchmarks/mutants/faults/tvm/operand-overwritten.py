"""A trigonometric function writes its result over its operand, which later operators read.

Triggers on an operand of sin, cos or tan that is computed in the graph and read again by a later call.
Modelled on: Isra, section IV-E, SophGo-7: the input data of Cos is covered by its result.
"""

from typing import Any

from planted_relax import Code, before_pipeline, name
from tvm import ir, relax

MODULE = "tvm.relax"

IN_PLACE = ("relax.sin", "relax.cos", "relax.tan")


def rewrite(code: Code, call: Any) -> Any:
    if not name(call) or name(call) in ("relax.call_tir", *IN_PLACE):
        return None
    found = [written_over(code, operand) for operand in call.args]
    if all(new is None for new in found):
        return None
    operands = [old if new is None else new for old, new in zip(call.args, found, strict=True)]
    return ir.Call(call.op, operands, call.attrs, call.ty_args)


def written_over(code: Code, operand: Any) -> Any:
    """Return the value that has overwritten an operand's memory, if there is one."""
    if not isinstance(operand, relax.Var) or code.definition(operand) is None:
        return None
    writers = [call for call in code.earlier if name(call) in IN_PLACE and call.args[0].same_as(operand)]
    return writers[0] if writers else None


plant = before_pipeline(rewrite)
