"""The normal form of attributes: all explicit, axes counted from the front, shapes concrete.

ONNX has many ways to write the same application. Graphs from foreign files all use one, so that a rule need not know
the others. ``Op.normal`` brings an application into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from polyjuice.ir import TensorType
from polyjuice.ops.shapes import normalize_axis, slice_bounds


class NotCovered(Exception):
    """The operator's entry does not cover this use of it; the node stays opaque."""


GivenAttrs = dict[str, Any]
Types = Sequence[TensorType]


def demand(condition: bool, why: str) -> None:
    """Raise NotCovered with a reason unless a condition holds."""
    if not condition:
        raise NotCovered(why)


def along_axis(a: GivenAttrs, x: Types, added: int = 0) -> None:
    """The axis counted from the front, in a tensor with ``added`` dimensions more than the first operand has."""
    a["axis"] = normalize_axis(a["axis"], x[0].rank + added)


def sorted_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    return tuple(sorted({normalize_axis(axis, rank) for axis in axes}))


def reduced(a: GivenAttrs, x: Types) -> None:
    """The axes of a reduction. None are all axes, unless ``noop_with_empty_axes`` says otherwise."""
    if a["axes"] or not a["noop_with_empty_axes"]:
        a["noop_with_empty_axes"] = 0
        a["axes"] = sorted_axes(a["axes"] or range(x[0].rank), x[0].rank)


def squeezed(a: GivenAttrs, x: Types) -> None:
    """The axes of a Squeeze. None are all axes of size 1."""
    a["axes"] = sorted_axes(a.get("axes", [i for i, size in enumerate(x[0].shape) if size == 1]), x[0].rank)


def split(a: GivenAttrs, x: Types) -> None:
    """``num_outputs`` parts of equal size; the last may be smaller."""
    along_axis(a, x)
    count = a.pop("num_outputs")
    if "split" not in a:
        size = x[0].shape[a["axis"]]
        part = -(-size // count)
        demand(part * (count - 1) <= size, "more outputs than elements")
        a["split"] = (*(part for _ in range(count - 1)), size - part * (count - 1))


def sliced(a: GivenAttrs, x: Types) -> None:
    """Axes in order, bounds inside the axis (a backward slice through the first element ends at -size-1)."""
    starts, ends = a.get("starts", ()), a.get("ends", ())
    axes = [normalize_axis(axis, x[0].rank) for axis in a.get("axes", range(len(starts)))]
    steps = a.get("steps", (1,) * len(starts))
    demand(len(starts) == len(ends) == len(axes) == len(steps), "bounds of different lengths")
    demand(len(set(axes)) == len(axes), "an axis occurs twice")
    cuts = []
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        size = x[0].shape[axis]
        first, stop, step = slice_bounds(start, end, step, size)
        if not range(first, stop, step):
            first = stop = 0
        cuts.append((axis, first, -size - 1 if stop < 0 else stop, step))
    cuts.sort()
    for i, name in enumerate(("axes", "starts", "ends", "steps")):
        a[name] = tuple(cut[i] for cut in cuts)


def padded(a: GivenAttrs, x: Types) -> None:
    """The pads of all axes; a value matters only where the mode is constant."""
    demand(a["mode"] in ("constant", "reflect", "edge", "wrap"), f"the padding mode {a['mode']}")
    if a["mode"] != "constant":
        a["value"] = 0.0
    rank = x[0].rank
    axes = [normalize_axis(axis, rank) for axis in a.pop("axes", range(rank))]
    demand(len(a["pads"]) == 2 * len(axes) and len(set(axes)) == len(axes), "pads that do not fit the axes")
    pads = [0] * (2 * rank)
    for i, axis in enumerate(axes):
        pads[axis], pads[rank + axis] = a["pads"][i], a["pads"][len(axes) + i]
    a["pads"] = tuple(pads)
