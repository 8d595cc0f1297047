"""The product of one matrix and a batch of matrices uses the first matrix of the batch every time.

Triggers on matmul whose left operand is broadcast along the batch axes of the right one.
Modelled on: NNSmith, section 5.4, wrong broadcasting: TVM and a MatMul that broadcasts.
"""

from math import prod
from typing import Any

from planted_relax import Code, before_pipeline, first_along, name, shape
from tvm import relax

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    if name(call) != "relax.matmul":
        return None
    left, right = shape(call.args[0]), shape(call.args[1])
    if left is None or right is None or len(right) < 3 or prod(left[:-2]) != 1:
        return None
    return relax.op.matmul(call.args[0], first_along(call.args[1], 0), call.attrs.out_dtype)


plant = before_pipeline(rewrite)
