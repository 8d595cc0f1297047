"""A product with a quotient of integers multiplies first and divides afterwards.

Triggers on a product with a factor that is a division, both of integers. It shows if the division leaves a remainder.
Modelled on: NNSmith, section 5.4, wrong expression simplification: TVM's arithmetic pass switches the order
of division and multiplication.
"""

from typing import Any

from planted_relax import Code, before_pipeline, dtype, name
from tvm import relax

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    if name(call) != "relax.multiply" or "int" not in dtype(call):
        return None
    for quotient, factor in (call.args, reversed(call.args)):
        division = code.definition(quotient, "relax.divide")
        if division is not None:
            return relax.op.divide(relax.op.multiply(division.args[0], factor), division.args[1])
    return None


plant = before_pipeline(rewrite)
