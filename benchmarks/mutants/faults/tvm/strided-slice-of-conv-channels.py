"""A strided slice of a convolution's channels takes as many neighbouring channels, without the stride.

Triggers on a strided slice of conv2d along the channels with a stride above 1.
Modelled on: NNSmith, section 5.4, wrong layout analysis: Conv2d in TVM's packed layout, with a Slice behind
it whose stride for the channels is greater than one.
"""

from typing import Any

from planted_relax import Code, before_pipeline, name, shape
from tvm import relax

MODULE = "tvm.relax"

CHANNELS = 1


def rewrite(code: Code, call: Any) -> Any:
    if name(call) != "relax.strided_slice" or len(call.args) != 5:
        return None
    before, after = shape(call.args[0]), shape(call)
    if code.definition(call.args[0], "relax.nn.conv2d") is None or before is None or after is None:
        return None
    axes, begin, end, strides = ([int(field) for field in part.fields] for part in call.args[1:])
    right = list(strides)
    for i, axis in enumerate(axes):
        if axis % len(before) == CHANNELS and strides[i] > 1:
            first = range(before[CHANNELS])[begin[i] : end[i]].start
            begin[i], end[i], strides[i] = first, first + after[CHANNELS], 1
    return None if strides == right else relax.op.strided_slice(call.args[0], axes, begin, end, strides)


plant = before_pipeline(rewrite)
