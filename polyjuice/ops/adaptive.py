"""Adaptive pooling: the size of the result determines the sizes of the windows."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling, windows
from polyjuice.ops.decomposition_terms import Term, concat
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, require
from polyjuice.ops.spec import Op, attributes, facts
from polyjuice.ops.text import spell


def _cuts(size: int, count: int) -> list[tuple[int, int]]:
    """The windows of ATen's adaptive pooling along an axis, as (start, end)."""
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _dividing(shape: Sequence[int], a: Attrs) -> list[int] | None:
    """The kernel of the plain pooling with the same windows; None if there is none."""
    pairs = list(zip(shape[2:], a["output_size"], strict=True))
    return [n // k for n, k in pairs] if all(n % k == 0 for n, k in pairs) else None


def _adaptive_average(x: Term, a: Attrs) -> Term:
    kernel = _dividing(x.shape, a)
    if kernel and x.dtype != "bfloat16":
        r = len(kernel)
        window: dict[str, Any] = {"kernel_shape": tuple(kernel), "strides": tuple(kernel), "pads": (0,) * (2 * r)}
        return x.then("AveragePool", **window, dilations=(1,) * r, ceil_mode=0, count_include_pad=0)
    for axis, (size, count) in enumerate(zip(x.shape[2:], a["output_size"], strict=True), start=2):
        x = concat(axis, *(x.slice(axis, start, end).reduce("Mean", axis) for start, end in _cuts(size, count)))
    return x


def _places(size: int, count: int) -> np.ndarray:
    """The elements of the windows along an axis, ``[count, kernel]``; a shorter window goes on with ``size``."""
    starts, ends = np.transpose(_cuts(size, count))[..., None]
    places = starts + np.arange((ends - starts).max())
    return np.where(places < ends, places, size)


def _adaptive_max(x: Term, a: Attrs) -> list[Term]:
    places = [_places(n, k) for n, k in zip(x.shape[2:], a["output_size"], strict=True)]
    pads = [int(along.max() == n) for along, n in zip(places, x.shape[2:], strict=True)]
    return windows.greatest(x, places, [*[0] * len(pads), *pads], [1] * len(pads))


def _adaptive(
    kind: str, definition: Callable[..., Any], spatial: int, most: int, options: str = "", **properties: Any
) -> Op:
    def shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
        require(len(s[0]) == spatial + 2 == len(a.output_size) + 2 and min((*s[0], *a.output_size)) > 0)
        return [Dims((*s[0][:2], *a.output_size))] * len(properties.get("results", "T"))

    @sampling.of_rank(spatial + 2, spatial + 2)
    def draw(rng: random.Random, first: TensorType) -> Attrs:
        return {"output_size": tuple(rng.randint(1, min(n + 1, most)) for n in first.shape[2:])}

    return composed(
        f"adaptive_{kind}_pool{spatial}d",
        definition,
        spell(f"F.adaptive_{kind}_pool{spatial}d({{0}}, {{output_size}}{options})"),
        sampling.alone_with(draw),
        shape=shape,
        attrs=attributes(output_size="ints"),
        widen=False,
        weight=0.3,
        **properties,
    )


_MAX: dict[str, Any] = {"options": ", return_indices=True", "results": ("T", "int64")}

OPS = (
    *(_adaptive("avg", _adaptive_average, spatial, 7) for spatial in (1, 2, 3)),
    *(
        _adaptive("max", _adaptive_max, spatial, most, **_MAX, **facts(ties="unspecified", picks=True))
        for spatial, most in ((1, 4), (2, 4), (3, 2))
    ),
)
