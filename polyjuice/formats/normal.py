"""The normal form of an operator's attributes: all explicit, axes counted from the front, shapes concrete.

ONNX lets the same application be written in many ways. The graphs that are read from foreign files all use
one, so that a rule need not know the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import TABLE, AttrView, Dims, Op, complete_attrs
from polyjuice.ops.shapes import normalize_axis, slice_bounds


class NotCovered(Exception):
    """The operator's entry does not cover this use of it; the node stays opaque."""


#: A rule rewrites attributes in place, for operands of known types and a number of results.
_Rule = Callable[[dict[str, Any], Sequence[TensorType], int], None]


def normal_attrs(op: Op, attrs: Mapping[str, Any], operands: Sequence[TensorType], results: int) -> Attrs:
    """The normal form of ``attrs``: what a file gives, ONNX's attributes and constant inputs by name.

    Raises NotCovered where the entry does not cover this use, TypeMismatch or ShapeMismatch where it is
    ill-typed.
    """
    given = {name: value for name, value in attrs.items() if value is not None}
    if not op.domain and op.name in _RULES:
        _RULES[op.name](given, operands, results)
    return complete_attrs(op, given)


def _demand(condition: bool, why: str) -> None:
    if not condition:
        raise NotCovered(why)


def _axis(default: int) -> _Rule:
    def rule(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
        a["axis"] = normalize_axis(a.get("axis", default), x[0].rank)

    return rule


def _flatten(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    axis = a.get("axis", 1)
    a["axis"] = axis if axis == x[0].rank else normalize_axis(axis, x[0].rank)


def _transpose(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    a.setdefault("perm", tuple(reversed(range(x[0].rank))))


def _reshape(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand("shape" in a, "no target shape")
    a.setdefault("allowzero", 0)
    a["shape"] = tuple(TABLE["", "Reshape"].shape([Dims(x[0].shape)], AttrView(a))[0])
    a["allowzero"] = int(0 in a["shape"])


def _expand(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand("shape" in a, "no target shape")
    a["shape"] = tuple(Dims(x[0].shape).broadcast(Dims(a["shape"])))


def _squeeze(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    axes = a.get("axes", [i for i, size in enumerate(x[0].shape) if size == 1])
    a["axes"] = _sorted_axes(axes, x[0].rank)


def _unsqueeze(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand("axes" in a, "no axes")
    a["axes"] = _sorted_axes(a["axes"], x[0].rank + len(a["axes"]))


def _sorted_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple(sorted({normalize_axis(axis, rank) for axis in axes}))


def _reduce(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    axes = a.get("axes", ())
    if axes or not a.get("noop_with_empty_axes", 0):
        a["noop_with_empty_axes"] = 0
        a["axes"] = _sorted_axes(axes or range(x[0].rank), x[0].rank)


def _split(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    """``num_outputs`` parts of equal size, of which the last may be smaller."""
    _axis(0)(a, x, results)
    count = a.pop("num_outputs", results)
    if "split" not in a:
        size = x[0].shape[a["axis"]]
        part = -(-size // count)
        _demand(part * (count - 1) <= size, "more outputs than elements")
        a["split"] = (*(part for _ in range(count - 1)), size - part * (count - 1))


def _slice(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    """Axes in order, bounds inside the axis (a backward slice through the first element ends at -size-1)."""
    starts, ends = a.get("starts", ()), a.get("ends", ())
    axes = [normalize_axis(axis, x[0].rank) for axis in a.get("axes", range(len(starts)))]
    steps = a.get("steps", (1,) * len(starts))
    _demand(len(starts) == len(ends) == len(axes) == len(steps), "bounds of different lengths")
    _demand(len(set(axes)) == len(axes), "an axis occurs twice")
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


def _pad(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand(a.get("mode", "constant") == "constant", "a padding mode other than constant")
    _demand("pads" in a, "no pads")
    rank = x[0].rank
    axes = [normalize_axis(axis, rank) for axis in a.pop("axes", range(rank))]
    _demand(len(a["pads"]) == 2 * len(axes) and len(set(axes)) == len(axes), "pads that do not fit the axes")
    pads = [0] * (2 * rank)
    for i, axis in enumerate(axes):
        pads[axis], pads[rank + axis] = a["pads"][i], a["pads"][len(axes) + i]
    a["pads"] = tuple(pads)


def _cast(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    """Saturation and rounding modes concern 8-bit floating types alone."""
    a.pop("saturate", None)
    a.pop("round_mode", None)


def _conv(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    kernel = x[1].shape[2:]
    _demand(a.pop("kernel_shape", kernel) == kernel, "a kernel shape that is not the weights'")
    _window(a, x[0].shape[2:], kernel)


def _max_pool(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand(a.pop("storage_order", 0) == 0, "column-major indices")
    _pool(a, x, results)


def _average_pool(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand(a.get("ceil_mode", 0) == 0, "ceil_mode, whose divisor ONNX's versions define differently")
    _pool(a, x, results)


def _pool(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand("kernel_shape" in a, "no kernel shape")
    _window(a, x[0].shape[2:], a["kernel_shape"])


def _window(a: dict[str, Any], spatial: Sequence[int], kernel: Sequence[int]) -> None:
    """Explicit strides, dilations and pads, in place of defaults and ``auto_pad``."""
    rank = len(spatial)
    strides = a.setdefault("strides", (1,) * rank)
    dilations = a.setdefault("dilations", (1,) * rank)
    _demand(len(kernel) == len(strides) == len(dilations) == rank, "a window of another rank")
    auto_pad = a.pop("auto_pad", "NOTSET")
    pads = a.setdefault("pads", (0,) * (2 * rank))
    if auto_pad == "NOTSET":
        return
    _demand(auto_pad in ("VALID", "SAME_UPPER", "SAME_LOWER"), f"auto_pad {auto_pad}")
    _demand(not any(pads) and not a.get("ceil_mode", 0), "auto_pad beside pads or ceil_mode")
    if auto_pad != "VALID":
        missing = [
            max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
            for size, k, s, d in zip(spatial, kernel, strides, dilations, strict=True)
        ]
        less, more = [m // 2 for m in missing], [m - m // 2 for m in missing]
        a["pads"] = (*less, *more) if auto_pad == "SAME_UPPER" else (*more, *less)


def _batch_norm(a: dict[str, Any], x: Sequence[TensorType], results: int) -> None:
    _demand(a.pop("training_mode", 0) == 0, "training mode")
    a.pop("momentum", None)


_RULES: dict[str, _Rule] = {
    "ArgMax": _axis(0),
    "ArgMin": _axis(0),
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Cast": _cast,
    "Concat": _axis(0),
    "Conv": _conv,
    "Expand": _expand,
    "Flatten": _flatten,
    "Gather": _axis(0),
    "LogSoftmax": _axis(-1),
    "MaxPool": _max_pool,
    "Pad": _pad,
    "Reshape": _reshape,
    "Slice": _slice,
    "Softmax": _axis(-1),
    "Split": _split,
    "Squeeze": _squeeze,
    "Transpose": _transpose,
    "Unsqueeze": _unsqueeze,
    **{f"Reduce{name}": _reduce for name in ("Sum", "Mean", "Max", "Min", "Prod")},
}
