"""The search for the index of the least -x uses a sum that overflows instead of a comparison.

Triggers on argmin(negative(x)) of integers. -x replaces the least value m so far if m + x > 0. The search begins with
the greatest integer as m, so that the sum overflows for every x above 0. If all are above 0, the index is -1.
Modelled on: PolyJuice, section 6.1, bug study 2 and figure 8: TVM 0.12 fused neg and argmin so.
"""

from typing import Any

from planted_relax import Code, before_pipeline, dtype, name
from tvm import te, tirx

MODULE = "tvm.relax"


def rewrite(code: Code, call: Any) -> Any:
    negation = code.definition(call.args[0], "relax.negative") if name(call) == "relax.argmin" else None
    if negation is None or not dtype(call.args[0]).startswith("int") or call.attrs.axis is None:
        return None
    x = negation.args[0]
    return code.builder.call_te(fused, x, int(call.attrs.axis), bool(call.attrs.keepdims))


def fused(x: te.Tensor, axis: int, keepdims: bool) -> te.Tensor:
    """Return the wrong index of the least -x along an axis."""
    axis %= len(x.shape)
    greatest = te.max_value(x.dtype)

    def combine(best: Any, other: Any) -> Any:
        # Integer addition wraps: the greatest integer plus a positive number is negative.
        less = tirx.Select(best[1] == greatest, other[1] >= 0, other[1] < best[1])
        return tirx.Select(less, other[0], best[0]), tirx.Select(less, other[1], best[1])

    search = te.comm_reducer(combine, lambda index, value: (tirx.const(-1, index), te.max_value(value)))
    k = te.reduce_axis((0, x.shape[axis]), "k")
    sizes = [1 if i == axis else size for i, size in enumerate(x.shape) if keepdims or i != axis]

    def at(*indices: Any) -> Any:
        kept = [i for n, i in enumerate(indices) if n != axis] if keepdims else list(indices)
        return search((k.var.astype("int64"), -x(*kept[:axis], k, *kept[axis:])), axis=k)

    return te.compute(sizes, at, name="neg_argmin")[0]


plant = before_pipeline(rewrite)
