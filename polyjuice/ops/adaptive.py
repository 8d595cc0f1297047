"""Adaptive pooling: the size of the result determines the sizes of the windows."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Builder, ErrorContext, Op, attributes, facts
from polyjuice.ops.text import spell


def _cuts(size: int, count: int) -> list[tuple[int, int]]:
    """The windows of ATen's adaptive pooling along an axis, as (start, end)."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _dividing(shape: Sequence[int], a: Attrs) -> list[int] | None:
    """The kernel of the plain pooling with the same windows; None if there is none."""
    pairs = list(zip(shape[2:], a["output_size"], strict=True))
    return [n // k for n, k in pairs] if all(n % k == 0 for n, k in pairs) else None


def _adaptive_average(b: Builder, x: Sequence[str], a: Attrs) -> str:
    t, kernel = b.types[x[0]], _dividing(b.types[x[0]].shape, a)
    if kernel and t.dtype != "bfloat16":
        r = len(kernel)
        window: dict[str, Any] = {"kernel_shape": tuple(kernel), "strides": tuple(kernel), "pads": (0,) * (2 * r)}
        return b.op("AveragePool", x[0], **window, dilations=(1,) * r, ceil_mode=0, count_include_pad=0)
    result = x[0]
    for axis, (size, count) in enumerate(zip(t.shape[2:], a["output_size"], strict=True), start=2):
        cuts = [_cut(b, result, [(axis, start, end)]) for start, end in _cuts(size, count)]
        parts = [b.op("ReduceMean", cut, axes=(axis,), keepdims=1) for cut in cuts]
        result = b.op("Concat", *parts, axis=axis) if len(parts) > 1 else parts[0]
    return result


def _cut(b: Builder, x: str, cuts: Sequence[tuple[int, int, int]]) -> str:
    """In ONNX, from each of some axes the elements from a start to an end."""
    axes, starts, ends = zip(*cuts, strict=True)
    return b.op("Slice", x, starts=starts, ends=ends, axes=axes, steps=(1,) * len(cuts))


def _cells(shape: Sequence[int], a: Attrs) -> list[tuple[list[tuple[int, int, int]], list[int]]]:
    """For each result element, its window as cuts of axes, and the places of the window's elements in the plane."""
    plane = np.arange(sampling.total(shape[2:])).reshape(shape[2:])
    lines = [
        [(axis, start, end) for start, end in _cuts(n, k)]
        for axis, (n, k) in enumerate(zip(shape[2:], a["output_size"], strict=True), start=2)
    ]
    return [
        (list(cuts), plane[tuple(slice(start, end) for _, start, end in cuts)].ravel().tolist())
        for cuts in itertools.product(*lines)
    ]


def _cell_values(x: np.ndarray, cuts: Sequence[tuple[int, int, int]]) -> np.ndarray:
    index = (slice(None), slice(None), *(slice(start, end) for _, start, end in cuts))
    return x[index].reshape(*x.shape[:2], -1)


def _adaptive_max_error(c: ErrorContext) -> tuple[np.ndarray, np.ndarray]:
    """The greatest error in a window; the index is unknown if a rival lies within the errors, or is equal."""
    x, e = c.x[0], np.broadcast_to(c.e[0], c.x[0].shape)
    values, indices = [], []
    for cuts, _ in _cells(x.shape, c.attrs):
        cell, reach = _cell_values(x, cuts), _cell_values(e, cuts)
        winner = cell.argmax(axis=-1)[..., None]
        least = np.take_along_axis(cell - reach, winner, -1)
        values.append(reach.max(axis=-1))
        indices.append(np.where((cell + reach >= least).sum(axis=-1) > 1, np.inf, 0.0))
    return np.stack(values, -1).reshape(c.y[0].shape), np.stack(indices, -1).reshape(c.y[0].shape)


def _adaptive_max(b: Builder, x: Sequence[str], a: Attrs) -> tuple[str, ...]:
    t = b.types[x[0]]
    shape = (*t.shape[:2], *a["output_size"])
    values, indices = [], []
    for cuts, places in _cells(t.shape, a):
        cell = b.op("Reshape", _cut(b, x[0], cuts), shape=(*t.shape[:2], len(places)), allowzero=0)
        values.append(b.op("ReduceMax", cell, axes=(2,), keepdims=1))
        best = b.op("ArgMax", cell, axis=2, keepdims=1, select_last_index=0)
        indices.append(b.op("Gather", b.constant(np.asarray(places, np.int64)), best, axis=0))
    joined = (b.op("Concat", *group, axis=2) if len(group) > 1 else group[0] for group in (values, indices))
    return tuple(b.op("Reshape", name, shape=shape, allowzero=0) for name in joined)


def _adaptive(kind: str, spatial: int, most: int, options: str = "", **properties: Any) -> Op:
    def shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
        require(len(s[0]) == spatial + 2 == len(a.output_size) + 2 and min((*s[0], *a.output_size)) > 0)
        return [Dims((*s[0][:2], *a.output_size))] * len(properties.get("results", "T"))

    @sampling.of_rank(spatial + 2, spatial + 2)
    def draw(rng: random.Random, first: TensorType) -> Attrs:
        return {"output_size": tuple(rng.randint(1, min(n + 1, most)) for n in first.shape[2:])}

    return Op(
        name=f"adaptive_{kind}_pool{spatial}d",
        shape=shape,
        text=spell(f"F.adaptive_{kind}_pool{spatial}d({{0}}, {{output_size}}{options})"),
        sample=sampling.alone_with(draw),
        attrs=attributes(output_size="ints"),
        weight=0.3,
        **properties,
    )


_MAX: dict[str, Any] = {
    "results": ("T", "int64"),
    "error": _adaptive_max_error,
    "why_not_derived": "Gather masks all places if one is in doubt",
    "definition": _adaptive_max,
    **facts(ties="unspecified", picks=True),
}

OPS = (
    *(_adaptive("avg", spatial, 7, definition=_adaptive_average) for spatial in (1, 2, 3)),
    *(_adaptive("max", spatial, most, ", return_indices=True", **_MAX) for spatial, most in ((1, 4), (2, 4), (3, 2))),
)
