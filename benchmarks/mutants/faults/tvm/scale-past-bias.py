"""A constant factor moves before the addition of a constant, which stays unscaled.

Triggers on (x + c) * d with constants c and d.
Modelled on: GenCoG, section 6.5 and table 5, bug 16: incorrect optimization logic at the graph level.
"""

from typing import Any

from planted_relax import Code, before_pipeline, is_constant, name
from tvm import relax

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    if name(call) != "relax.multiply":
        return None
    for total, factor in (call.args, reversed(call.args)):
        addition = code.definition(total, "relax.add")
        if addition is None or not is_constant(factor):
            continue
        for x, bias in (addition.args, reversed(addition.args)):
            if is_constant(bias):
                return relax.op.add(relax.op.multiply(x, factor), bias)
    return None


plant = before_pipeline(rewrite)
