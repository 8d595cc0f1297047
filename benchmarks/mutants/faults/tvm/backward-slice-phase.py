"""A backward slice with a step becomes a forward slice with that step, then reversed.

Triggers on a strided slice with a stride below -1. It shows if the step does not divide the distance from the last
element to the first: then it selects other elements.
Modelled on: NNSmith, section 5.4, wrong layout analysis: slices with a stride other than 1.
"""

from typing import Any

from planted_relax import Code, before_pipeline, name, shape
from tvm import relax

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    sizes = shape(call.args[0]) if name(call) == "relax.strided_slice" and len(call.args) == 5 else None
    if sizes is None:
        return None
    axes, begin, end, strides = ([int(field) for field in part.fields] for part in call.args[1:])
    right = list(begin)
    for i, axis in enumerate(axes):
        taken = range(sizes[axis])[begin[i] : end[i] : strides[i]]
        if strides[i] < -1 and len(taken):
            first = taken.stop + 1
            begin[i] = first - strides[i] * (len(taken) - 1)
            end[i] = first - 1 if first else -sizes[axis] - 1
    return None if begin == right else relax.op.strided_slice(call.args[0], axes, begin, end, strides)


plant = before_pipeline(rewrite)
