"""A comparison tests whether the difference is below zero, which is false for every unsigned difference.

Triggers on less and greater of an unsigned type: less is never true, and greater is true if the operands differ.
Modelled on: PolyJuice, section 6.1, bug study 2, a comparison that TVM converts to one with zero, and bug
study 1, arithmetic of unsigned char.
"""

from typing import Any

from planted_relax import Code, before_pipeline, dtype, name
from tvm import relax

MODULE = "tvm.relax"

COMPARISONS = {"relax.less": relax.op.less, "relax.greater": relax.op.greater}


def rewrite(code: Code, call: Any) -> Any:
    if name(call) not in COMPARISONS or not dtype(call.args[0]).startswith("uint"):
        return None
    difference = relax.op.subtract(*call.args)
    return COMPARISONS[name(call)](difference, relax.const(0, dtype(call.args[0])))


plant = before_pipeline(rewrite)
