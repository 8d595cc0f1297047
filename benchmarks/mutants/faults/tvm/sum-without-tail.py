"""A sum over the last axis, split into blocks of four, leaves out the remainder.

Triggers on sum over only the last axis, of more than four elements, if four does not divide their number.
Modelled on: GenCoG, section 6.5 and table 5, bug 15: incorrect optimization logic in TIR; Isra,
section IV-E, SophGo-3, a reduction whose buffer has the wrong size.
"""

from typing import Any

from planted_relax import in_legalization, shape
from tvm import te

MODULE = "tvm.relax.transform.legalize_ops"

FACTOR = 4


def legalize(builder: Any, call: Any) -> Any:
    sizes, axes = shape(call.args[0]), call.attrs.axis
    if not sizes or axes is None or [int(axis) % len(sizes) for axis in axes] != [len(sizes) - 1]:
        return None
    whole = sizes[-1] // FACTOR * FACTOR
    if whole in (0, sizes[-1]):
        return None

    def split(x: te.Tensor) -> te.Tensor:
        k = te.reduce_axis((0, whole), "k")
        kept = [*sizes[:-1], 1] if call.attrs.keepdims else sizes[:-1]
        return te.compute(kept, lambda *i: te.sum(x(*i[: len(sizes) - 1], k), axis=k), name="sum")

    return builder.call_te(split, call.args[0], primfunc_name_hint="sum")


plant = in_legalization(("relax.sum",), legalize)
