"""An arg-reduction over the last axis in blocks of four returns the index within the block.

Triggers on argmax and argmin over the last axis if it has more than four elements. It shows if the extreme value is not
in the first block.
Modelled on: PolyJuice, section 6.1, bug study 2: an arg-reduction of TVM that finds the wrong index.
"""

from typing import Any

from planted_relax import in_legalization, name, shape
from tvm import te, tirx, topi

MODULE = "tvm.relax.transform.legalize_ops"

BLOCK = 4


def legalize(builder: Any, call: Any) -> Any:
    sizes = shape(call.args[0])
    if not sizes or call.attrs.axis is None:
        return None
    axis = int(call.attrs.axis) % len(sizes)
    if axis != len(sizes) - 1 or sizes[axis] <= BLOCK:
        return None
    search = topi.argmax if name(call) == "relax.argmax" else topi.argmin

    def blocked(x: te.Tensor) -> te.Tensor:
        index = search(x, axis, bool(call.attrs.keepdims))
        return te.compute(index.shape, lambda *i: tirx.floormod(index(*i), tirx.const(BLOCK, index.dtype)))

    return builder.call_te(blocked, call.args[0], primfunc_name_hint="arg_reduce")


plant = in_legalization(("relax.argmax", "relax.argmin"), legalize)
