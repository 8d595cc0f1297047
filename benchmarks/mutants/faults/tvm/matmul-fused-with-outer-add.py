"""An addition that adds an axis to a matrix product is fused with it, and only reads the other operand's first slice.

Triggers on an add of a matmul of matrices and a tensor of rank 3 or more.
Modelled on: GenCoG, section 6.5 and table 5, bug 9: TVM fuses dense with a broadcasting add behind it that
increases the rank.
"""

from typing import Any

from planted_relax import Code, before_pipeline, first_along, name, shape
from tvm import relax

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    if name(call) != "relax.add":
        return None
    for product, other in (call.args, reversed(call.args)):
        is_matrix = code.definition(product, "relax.matmul") is not None and len(shape(product) or ()) == 2
        if is_matrix and len(shape(other) or ()) > 2:
            return relax.op.add(product, first_along(other, 0))
    return None


plant = before_pipeline(rewrite)
