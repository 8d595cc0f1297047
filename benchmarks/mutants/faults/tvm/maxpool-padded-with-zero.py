"""A padded max pooling pads with zeros, as an average pooling does.

Triggers on max_pool2d with padding and without ceil_mode. It shows if a window over the edge has only negative
elements.
Modelled on: GenCoG, section 6.5 and table 5, bugs 12 and 13: TOPI kernels of the wrong logic or attributes.
"""

from typing import Any

from planted_relax import dtype, in_legalization
from tvm import te, topi

MODULE = "tvm.relax.transform.legalize_ops"


def legalize(builder: Any, call: Any) -> Any:
    attrs = call.attrs
    if attrs.ceil_mode or attrs.layout != "NCHW" or attrs.out_layout != "NCHW" or not dtype(call).startswith("float"):
        return None
    top, left, bottom, right = (int(pad) for pad in attrs.padding)
    if not top + left + bottom + right:
        return None

    def pool(x: te.Tensor) -> te.Tensor:
        padded = topi.nn.pad(x, [0, 0, top, left], [0, 0, bottom, right], 0.0)
        return topi.nn.pool2d(padded, attrs.pool_size, attrs.strides, attrs.dilation, [0, 0, 0, 0], "max")

    return builder.call_te(pool, call.args[0], primfunc_name_hint="max_pool2d")


plant = in_legalization(("relax.nn.max_pool2d",), legalize)
