"""Operators that sample images at a grid of places, or crop and pad them to a size around their middle."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import sampling, unspecified, windows
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, normalize_axis, require
from polyjuice.ops.spec import (
    Attr,
    Builder,
    Call,
    ErrorContext,
    Op,
    Sample,
    Unsupported,
    attributes,
    by_definition,
    facts,
)
from polyjuice.ops.structural import moving
from polyjuice.ops.text import spell

# --- GridSample ------------------------------------------------------------------------------------------------------


def _grid_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, grid = s
    require(len(x) == len(grid) == 4 and grid[3] == 2 and grid[0] == x[0] and 0 not in (*x, *grid))
    return [Dims((*x[:2], *grid[1:3]))]


def _pixels(grid: np.ndarray, shape: Sequence[int], align: int) -> list[np.ndarray]:
    """Fractional rows and columns of the places, which the grid has as columns and rows from -1 to 1."""
    out = []
    for size, v in zip(shape[2:], (grid[..., 1], grid[..., 0]), strict=True):
        half = np.asarray(0.5, grid.dtype)
        out.append((v + 1) * half * (size - 1) if align else ((v + 1) * size - 1) * half)
    return out


def _at(x: np.ndarray, rows: np.ndarray, columns: np.ndarray, padding: str) -> np.ndarray:
    """``[N, C, ...]`` elements of images at whole rows and columns ``[N, ...]``, which may lie outside."""
    height, width = x.shape[2:]
    inside = zip((rows, columns), (height, width), strict=True)
    r, k = (np.clip(np.nan_to_num(v), 0, n - 1).astype(np.int64) for v, n in inside)  # a NaN is nowhere
    n = np.arange(x.shape[0]).reshape(-1, 1, 1)
    found = np.moveaxis(x[n, :, r, k], -1, 1)
    if padding == "zeros":
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        return np.where(inside[:, None], found, 0).astype(x.dtype)
    return found


_STEEPNESS = -0.75
"""The free number of the cubic convolution (Keys, 1981), as Torch and ONNX choose it."""

_SLOPE, _WEIGHT = {"bilinear": 2.0, "bicubic": 5.0}, {"bilinear": 1.0, "bicubic": 2.0}
"""The greatest slope of an interpolation, in both directions together, and the sum of its weights' magnitudes."""


def _grid_sample(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The weighted elements around each place; elements outside come from the border, or are 0."""
    rows, columns = _pixels(x[1], x[0].shape, a["align_corners"])
    cubic = a["mode"] == "bicubic"
    if a["padding_mode"] == "border" and not cubic:
        rows, columns = (np.clip(v, 0, n - 1) for v, n in zip((rows, columns), x[0].shape[2:], strict=True))
    if a["mode"] == "nearest":
        return _at(x[0], np.rint(rows), np.rint(columns), a["padding_mode"])
    total: Any = 0
    around = (-1, 0, 1, 2) if cubic else (0, 1)
    for row in (np.floor(rows) + i for i in around):
        for column in (np.floor(columns) + i for i in around):
            r, k = np.abs(rows - row), np.abs(columns - column)
            weight = windows.cubic(r, _STEEPNESS) * windows.cubic(k, _STEEPNESS) if cubic else (1 - r) * (1 - k)
            total = total + weight[:, None] * _at(x[0], row, column, a["padding_mode"])
    return np.asarray(total)


def _grid_error(c: ErrorContext) -> np.ndarray:
    """A shift of a place by d changes an interpolated value by at most its slope times d times the greatest element."""
    x, grid = c.x
    e, e_grid = (np.broadcast_to(q, v.shape) for q, v in zip(c.e, c.x, strict=True))
    pixels = _pixels(grid, x.shape, c.attrs["align_corners"])
    lines = (e_grid[..., 1], e_grid[..., 0])
    shifts = [q * n + 4 * c.unit * (np.abs(p) + n) for q, n, p in zip(lines, x.shape[2:], pixels, strict=True)]
    far = ~np.isfinite(grid).all(axis=-1)
    greatest = np.max(np.abs(x), axis=(2, 3), keepdims=True)
    worst = np.max(e, axis=(2, 3), keepdims=True)
    if c.attrs["mode"] == "nearest":
        for p, d in zip(pixels, shifts, strict=True):
            far = far | (np.rint(p - d) != np.rint(p + d))
        return np.where(far[:, None], np.inf, worst + np.zeros(c.y[0].shape))
    shift = sum(shifts)[:, None]
    slope, weight = _SLOPE[c.attrs["mode"]], _WEIGHT[c.attrs["mode"]]
    rounding = 8 * weight**2 * c.unit
    return np.where(far[:, None], np.inf, weight * worst + (slope * shift + rounding) * (greatest + worst))


def _grid_jax(c: Call) -> str | Unsupported:
    a = c.attrs
    if a["mode"] == "bicubic":
        return Unsupported("JAX samples images by the nearest element, or linearly")
    pixel = "({0} + 1) * {1} / 2" if a["align_corners"] else "(({0} + 1) * {1} - 1) / 2"
    sizes = [size - a["align_corners"] for size in c.types[0].shape[2:]]
    rows, columns = (pixel.format(f"{c.x[1]}[..., {i}]", size) for i, size in zip((1, 0), sizes, strict=True))
    style = f'order={int(a["mode"] != "nearest")}, mode="{"nearest" if a["padding_mode"] == "border" else "constant"}"'
    sampled = f"jax.scipy.ndimage.map_coordinates(local_plane_, local_places_, {style})"
    planes = f"lambda local_image_, *local_places_: jax.vmap(lambda local_plane_: {sampled})(local_image_)"
    return f"jax.vmap({planes})({c.x[0]}, {rows}, {columns})"


@sampling.of_rank(4, 4)
def _sample_grid(rng: random.Random, first: TensorType) -> Sample:
    return sampling.operands(
        first,
        (first.shape[0], rng.choice((1, 2, 3, 5)), rng.choice((1, 2, 3, 8)), 2),
        mode=rng.choice(("bilinear", "bilinear", "nearest", "bicubic")),
        padding_mode=rng.choice(("zeros", "border")),
        align_corners=rng.randint(0, 1),
    )


# --- AffineGrid ------------------------------------------------------------------------------------------------------


def _affine_grid(theta: Term, a: Attrs) -> Term:
    """The places of all pixels, from -1 to 1, with columns before rows, and an affine map of each image."""
    _, _, *sizes = a["size"]
    ends = [1.0 if a["align_corners"] else 1 - 1 / size for size in sizes]
    lines = np.meshgrid(*(np.linspace(-end, end, n) for end, n in zip(ends, sizes, strict=True)), indexing="ij")
    places = np.stack([*lines[::-1], np.ones(sizes)], axis=-1).reshape(-1, len(sizes) + 1)
    found = theta.constant(places.astype(dtypes.to_numpy(theta.dtype))) @ theta.permute(0, 2, 1)
    return found.reshape(theta.shape[0], *sizes, len(sizes))


def _affine_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    count, _, *sizes = a.size
    require(len(sizes) in (2, 3) and s[0] == (count, len(sizes), len(sizes) + 1) and min(a.size) > 0)
    require(not a.align_corners or min(sizes) > 1)
    return [Dims((count, *sizes, len(sizes)))]


def _sample_affine(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank != 3 or first.shape[1:] not in ((2, 3), (3, 4)):
        return None
    sizes = tuple(rng.choice((2, 3, 4, 5)) for _ in range(first.shape[1]))
    return Sample((), {"size": (first.shape[0], 2, *sizes), "align_corners": rng.randint(0, 1)})


# --- CenterCropPad ---------------------------------------------------------------------------------------------------


def _centred(b: Builder, x: Sequence[str], a: Attrs) -> str:
    """Pads, or cuts where they are negative, bring axes to their new sizes around the middle."""
    require(len(a["axes"]) == len(a["shape"]) and min(a["shape"], default=1) > 0)
    shape = b.types[x[0]].shape
    starts, ends = [0] * len(shape), [0] * len(shape)
    for axis, size in zip(a["axes"], a["shape"], strict=True):
        axis = normalize_axis(axis, len(shape))
        more = size - shape[axis]
        starts[axis] = more // 2 if more > 0 else -(-more // 2)
        ends[axis] = more - starts[axis]
    return b.op("Pad", x[0], pads=(*starts, *ends), value=0.0, mode="constant")


@sampling.of_rank(1)
def _draw_centre(rng: random.Random, first: TensorType) -> Attrs:
    axes = sampling.some_axes(rng, first.rank)
    return {"axes": axes, "shape": tuple(max(1, first.shape[axis] + rng.randint(-3, 3)) for axis in axes)}


LATER_MODES = {"bilinear": "linear", "bicubic": "cubic"}
"""The names of modes from opset 20 on."""


def _normal_grid(a: GivenAttrs, x: Types) -> None:
    a["mode"] = {later: mode for mode, later in LATER_MODES.items()}.get(a["mode"], a["mode"])
    demand(a["padding_mode"] in ("zeros", "border"), "reflection at the border")


def _normal_centre(a: GivenAttrs, x: Types) -> None:
    a["axes"] = tuple(normalize_axis(axis, x[0].rank) for axis in a.get("axes", range(x[0].rank)))
    demand(len(set(a["axes"])) == len(a["axes"]), "an axis occurs twice")


OPS: tuple[Op, ...] = (
    Op(
        name="GridSample",
        inputs=("T", "T"),
        shape=_grid_shape,
        numpy=_grid_sample,
        error=_grid_error,
        text=spell(
            "F.grid_sample({0}, {1}, mode='{mode}', padding_mode='{padding_mode}', align_corners={is_align_corners})",
            tf=Unsupported("TensorFlow samples no images at places of a grid"),
            jax=_grid_jax,
        ),
        sample=_sample_grid,
        attrs=attributes(mode="bilinear", padding_mode="zeros", align_corners=0),
        weight=0.8,
        unsettled=unspecified.interpolation,
        normal=_normal_grid,
    ),
    composed(
        "AffineGrid",
        _affine_grid,
        spell("F.affine_grid({0}, {size}, align_corners={is_align_corners})"),
        _sample_affine,
        shape=_affine_shape,
        attrs=(Attr("size", "ints", as_input=True), *attributes(align_corners=0)),
        **facts(since=20, weight=0.2, followers="GridSample"),
    ),
    moving(
        "CenterCropPad",
        by_definition,
        spell(),
        sampling.alone_with(_draw_centre),
        (Attr("shape", "ints", as_input=True), Attr("axes", "ints")),
        definition=_centred,
        normal=_normal_centre,
        **facts(weight=0.2, filling="0.0"),
    ),
)
