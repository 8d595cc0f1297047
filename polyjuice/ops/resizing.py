"""Operators that sample images at other places: resizing, grids of places, and cropping to a size."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling, windows
from polyjuice.ops.shapes import Dims, ShapeMismatch, normalize_axis
from polyjuice.ops.spec import Attr, Builder, Call, ErrorContext, Hole, Op, Operand, Sample
from polyjuice.ops.structural import moving, pad_array, torch_pads
from polyjuice.ops.text import subscript
from polyjuice.ops.windows import NO_BFLOAT16, channels_first, channels_last

_SINGLE = 2.0**-24
"""Unit roundoff of the coordinates, which most libraries compute in single precision, whatever the elements are."""

# --- Resize: one matrix for each axis --------------------------------------------------------------------------------


def _coordinate(place: int, size: int, result: int, transformation: str) -> Fraction:
    """Which place of an axis of ``size`` elements an element of the resized axis is."""
    if transformation == "asymmetric":
        return Fraction(place * size, result)
    if transformation == "align_corners":
        return Fraction(place * (size - 1), result - 1) if result > 1 else Fraction(0)
    return (place + Fraction(1, 2)) * Fraction(size, result) - Fraction(1, 2)


_ROUND: Mapping[str, Callable[[Fraction], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round_prefer_floor": lambda v: math.ceil(v - Fraction(1, 2)),
    "round_prefer_ceil": lambda v: math.floor(v + Fraction(1, 2)),
}

TRANSFORMATIONS = ("half_pixel", "align_corners", "asymmetric")
"""The coordinate transformations of ONNX that are covered."""


def nearest_places(size: int, result: int, transformation: str, rounding: str) -> list[int]:
    """The element that each element of an axis resized to its nearest neighbours is."""
    places = (_ROUND[rounding](_coordinate(i, size, result, transformation)) for i in range(result))
    return [min(max(place, 0), size - 1) for place in places]


@lru_cache(maxsize=512)
def _in_doubt(size: int, result: int, transformation: str, rounding: str) -> np.ndarray:
    """Which of these choices rounded arithmetic makes otherwise, by a usual formula in one of two precisions."""
    right = np.array(nearest_places(size, result, transformation, rounding))
    doubt = np.zeros(result, bool)
    kinds: tuple[Any, ...] = (np.float32, np.float64)
    for dtype in kinds:
        half = dtype(0.5)
        ends = transformation == "align_corners"
        scale = dtype(size - ends) / dtype(max(result - ends, 1))
        places = np.arange(result, dtype=dtype)
        if transformation == "half_pixel":
            inverse = dtype(result) / dtype(size)
            centres = [(places + half) * scale, (places + half) / inverse]
            coordinates = [centre - half for centre in centres]
            coordinates.append(((places + half).astype(np.float64) * float(scale) - 0.5).astype(dtype))  # fused
        elif ends:
            coordinates = [places * scale, places * dtype(size - 1) / dtype(max(result - 1, 1))]
        else:
            coordinates = [places * scale, places / (dtype(result) / dtype(size))]
        for x in coordinates:
            match rounding:
                case "floor":
                    chosen = np.floor(x)
                case "ceil":
                    chosen = np.ceil(x)
                case "round_prefer_floor":
                    chosen = np.ceil(x - half)
                case _:
                    chosen = np.floor(x + half)
            doubt |= np.clip(chosen, 0, size - 1) != right
    return doubt


def _cubic(x: float, a: float) -> float:
    """Keys' cubic convolution kernel."""
    x = abs(x)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


@lru_cache(maxsize=512)
def _matrix(
    size: int, result: int, mode: str, transformation: str, rounding: str, a: float, exclude: int
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of an axis' elements in the resized axis' elements, and which elements are near enough for one."""
    weights, near = np.zeros((2, result, size))
    if mode == "nearest":
        weights[range(result), nearest_places(size, result, transformation, rounding)] = 1.0
        return weights, weights
    reach = 1 if mode == "linear" else 2
    for i in range(result):
        x = float(_coordinate(i, size, result, transformation))
        low = math.floor(x)
        places = range(low - reach + 1, low + reach + 1)
        row = [1 - abs(x - place) if mode == "linear" else _cubic(x - place, a) for place in places]
        if exclude:
            row = [w if 0 <= place < size else 0.0 for w, place in zip(row, places, strict=True)]
            row = [w / sum(row) for w in row]
        for weight, place in zip(row, places, strict=True):
            weights[i, min(max(place, 0), size - 1)] += weight
        for place in range(low - reach, low + reach + 2):
            near[i, min(max(place, 0), size - 1)] = 1.0
    return weights, near


def _matrices(shape: Sequence[int], a: Attrs) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """The matrices of the axes that change."""
    style = (a["mode"], a["coordinate_transformation_mode"], a["nearest_mode"], a["cubic_coeff_a"])
    return {
        axis: _matrix(size, result, *style, a["exclude_outside"])
        for axis, (size, result) in enumerate(zip(shape, a["sizes"], strict=True))
        if size != result
    }


def _resize_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if not isinstance(s[0], Dims):
        return [a.sizes]
    if len(a.sizes) != len(s[0]) or min((*a.sizes, *s[0]), default=1) < 1:
        raise ShapeMismatch(f"Resize of {tuple(s[0])} to {tuple(a.sizes)}")
    return [Dims(a.sizes)]


def _resize(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    if a["mode"] == "nearest":
        return _taken(x[0], a)
    return windows.weighted(x[0], {axis: pair[0] for axis, pair in _matrices(x[0].shape, a).items()})


def _taken(x: np.ndarray, a: Attrs) -> np.ndarray:
    for axis, places in _nearest(x.shape, a).items():
        x = np.take(x, places, axis=axis)
    return x


def _nearest(shape: Sequence[int], a: Attrs) -> dict[int, list[int]]:
    style = (a["coordinate_transformation_mode"], a["nearest_mode"])
    return {
        axis: nearest_places(size, result, *style)
        for axis, (size, result) in enumerate(zip(shape, a["sizes"], strict=True))
        if size != result
    }


def _doubtful(shape: Sequence[int], a: Attrs) -> np.ndarray:
    """Which elements of a resize to nearest neighbours are in doubt."""
    out = np.zeros(tuple(a["sizes"]), bool)
    style = (a["coordinate_transformation_mode"], a["nearest_mode"])
    for axis, (size, result) in enumerate(zip(shape, a["sizes"], strict=True)):
        if size != result:
            lines = [1] * len(shape)
            lines[axis] = -1
            out |= _in_doubt(size, result, *style).reshape(lines)
    return out


def _resize_error(c: ErrorContext) -> np.ndarray:
    """Weights of magnitudes; and a coordinate off by its rounding shifts weight between the elements near it."""
    shape, e = c.x[0].shape, np.broadcast_to(c.e[0], c.x[0].shape)
    if c.attrs["mode"] == "nearest":
        return np.where(_doubtful(shape, c.attrs), np.inf, _taken(e, c.attrs))
    pairs = _matrices(shape, c.attrs)
    weights = {axis: np.abs(pair[0]) for axis, pair in pairs.items()}
    carried = windows.weighted_errors(e, weights)
    if np.isinf(e).any():  # a NaN near the place counts though its weight be 0, along the axes that stay too
        plane = tuple(axis for axis in range(e.ndim) if axis > 1 or e.ndim < 4 or axis in pairs)
        carried = np.where(np.isinf(e).any(axis=plane, keepdims=True), np.inf, carried)
    size = np.abs(c.x[0]) + np.where(np.isinf(e), 0.0, e)
    steps = 4 if c.attrs["mode"] == "linear" else 8
    bound = carried + len(pairs) * steps * c.unit * windows.weighted(size, weights)
    for axis, (_, near) in pairs.items():
        bound = bound + steps * _SINGLE * (shape[axis] + 1) * windows.weighted(size, {**weights, axis: near})
    return np.asarray(bound)


def _image_axes(c: Call) -> bool:
    """Whether only the spatial axes of images change."""
    t = c.types[0]
    return 3 <= t.rank <= 5 and tuple(c.attrs["sizes"][:2]) == t.shape[:2]


_TORCH_LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}


def _interpolated(c: Call, mode: str, align: bool | None = None) -> str:
    corners = "" if align is None else f", align_corners={align}"
    return f"F.interpolate({c.x[0]}, size={tuple(c.attrs['sizes'][2:])}, mode='{mode}'{corners})"


def _resize_torch(c: Call) -> str | Hole:
    a = c.attrs
    mode, transformation = a["mode"], a["coordinate_transformation_mode"]
    if mode == "nearest":
        kinds = {("asymmetric", "floor"): "nearest", ("half_pixel", "round_prefer_ceil"): "nearest-exact"}
        kind = kinds.get((transformation, a["nearest_mode"]))
        if kind and _image_axes(c) and c.draws.chance(0.7):
            return _interpolated(c, kind)
        rank = c.types[0].rank
        return c.x[0] + "".join(subscript(rank, {k: str(v)}) for k, v in _nearest(c.types[0].shape, a).items())
    if not _image_axes(c) or transformation == "asymmetric":
        return Hole("Torch interpolates the last axes of images, by pixel centres or corners")
    if mode == "linear":
        return _interpolated(c, _TORCH_LINEAR[c.types[0].rank], transformation == "align_corners")
    if c.types[0].rank != 4 or a["cubic_coeff_a"] != -0.75 or a["exclude_outside"]:
        return Hole("Torch's cubic interpolation is that of two axes, with a = -0.75 and edges repeated")
    return _interpolated(c, "bicubic", transformation == "align_corners")


def _resized_images(c: Call) -> tuple[str, str, Callable[[str], str]] | None:
    """TensorFlow: the operand as images, channels last; their new size; and the way back. None where it has none."""
    t, sizes = c.types[0], list(c.attrs["sizes"])
    if t.rank == 4 and sizes[:2] == list(t.shape[:2]):
        return channels_last(c.x[0], 4), str(sizes[2:]), lambda text: channels_first(text, 4)
    if t.rank == 3 and sizes[:2] == list(t.shape[:2]):
        images = f"tf.reshape({channels_last(c.x[0], 3)}, {[t.shape[0], 1, t.shape[2], t.shape[1]]})"
        flat = [t.shape[0], sizes[2], t.shape[1]]
        return images, str([1, sizes[2]]), lambda text: channels_first(f"tf.reshape({text}, {flat})", 3)
    return None


def _resize_tensorflow(c: Call) -> str | Hole:
    a, t = c.attrs, c.types[0]
    mode, transformation = a["mode"], a["coordinate_transformation_mode"]
    images = _resized_images(c)
    if mode == "nearest":
        kinds = {
            ("asymmetric", "floor"): "tf.compat.v1.image.resize_nearest_neighbor({0}, {1})",
            ("half_pixel", "round_prefer_ceil"): 'tf.image.resize({0}, {1}, method="nearest")',
            ("align_corners", "round_prefer_ceil"): (
                "tf.compat.v1.image.resize_nearest_neighbor({0}, {1}, align_corners=True)"
            ),
        }
        kind = kinds.get((transformation, a["nearest_mode"]))
        if kind and images and c.draws.chance(0.7):
            return images[2](kind.format(*images[:2]))
        text = c.x[0]
        for axis, places in _nearest(t.shape, a).items():
            text = f"tf.gather({text}, {places}, axis={axis})"
        return text
    if mode != "linear" or images is None or t.dtype == "float64":
        return Hole("TensorFlow's resizing of images is linear, over two axes, and in single precision")
    spellings = {
        "half_pixel": 'tf.image.resize({0}, {1}, method="bilinear")',
        "align_corners": "tf.compat.v1.image.resize_bilinear({0}, {1}, align_corners=True)",
        "asymmetric": "tf.compat.v1.image.resize_bilinear({0}, {1})",
    }
    text = spellings[transformation].format(*images[:2])
    return images[2](text if t.dtype == "float32" else f"tf.cast({text}, tf.{t.dtype})")


def _other_size(rng: random.Random, size: int) -> int:
    return rng.choice((2 * size, 2 * size, 3 * size, max(size // 2, 1), rng.randint(1, 2 * size + 1), size))


_STYLE = {"nearest_mode": "round_prefer_floor", "cubic_coeff_a": -0.75, "exclude_outside": 0}


def _draw_resize(rng: random.Random, first: TensorType) -> Attrs | None:
    if not windows.has_windows(first):
        return None
    sizes = (*first.shape[:2], *(_other_size(rng, n) for n in first.shape[2:]))
    mode = rng.choices(("nearest", "linear", "cubic"), (5, 5, 1 if first.rank == 4 else 0))[0]
    attrs: dict[str, Any] = {
        **_STYLE,
        "sizes": sizes,
        "mode": mode,
        "coordinate_transformation_mode": rng.choice(TRANSFORMATIONS),
    }
    if mode == "nearest":
        common = {"half_pixel": "round_prefer_ceil", "asymmetric": "floor", "align_corners": "round_prefer_ceil"}
        usual = common[attrs["coordinate_transformation_mode"]]
        attrs["nearest_mode"] = usual if rng.random() < 0.6 else rng.choice(list(_ROUND))
    elif attrs["coordinate_transformation_mode"] == "asymmetric" and (mode == "cubic" or rng.random() < 0.7):
        attrs["coordinate_transformation_mode"] = "half_pixel"  # most libraries have no other
    if mode == "cubic":
        attrs["exclude_outside"] = int(rng.random() < 0.2)
    return attrs


# --- upsample_nearest2d, upsample_bilinear2d -------------------------------------------------------------------------


def _as_resize(a: Attrs, shape: Sequence[int]) -> dict[str, Any]:
    """The attributes of the Resize that ATen's upsampling is."""
    linear = "align_corners" in a
    transformation = ("align_corners" if a["align_corners"] else "half_pixel") if linear else "asymmetric"
    return {
        **_STYLE,
        "nearest_mode": "floor",
        "mode": "linear" if linear else "nearest",
        "coordinate_transformation_mode": transformation,
        "sizes": (*shape[:2], *a["output_size"]),
    }


def _upsample_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims) and (len(s[0]) != 4 or len(a.output_size) != 2 or min((*s[0], *a.output_size)) < 1):
        raise ShapeMismatch(f"upsampling of {tuple(s[0])} to {tuple(a.output_size)}")
    return [s[0].batch(2).append(a.output_size[0], a.output_size[1])]


def _upsample_error(c: ErrorContext) -> np.ndarray:
    attrs = _as_resize(c.attrs, c.x[0].shape)
    return _resize_error(ErrorContext(c.x, c.e, c.y, attrs, c.unit, c.numpy))


def _upsample_tensorflow(c: Call) -> str | Hole:
    attrs = _as_resize(c.attrs, c.types[0].shape)
    return _resize_tensorflow(Call(c.x, c.types, c.results, attrs, c.draws, c.let))


def _upsample_onnx(b: Builder, x: Sequence[str], a: Attrs) -> str:
    t = b.types[x[0]]
    attrs = _as_resize(a, t.shape)
    if t.dtype in FLOATS:
        return b.op("Resize", x[0], **attrs)
    result = x[0]
    for axis, places in _nearest(t.shape, attrs).items():
        result = b.op("Gather", result, b.constant(np.array(places, np.int64)), axis=axis)
    return result if result != x[0] else b.op("Identity", x[0])


def _upsample_torch(*templates: str) -> Callable[[Call], str]:
    def spell(c: Call) -> str:
        corners = bool(c.attrs.get("align_corners"))
        return c.draws.choice(templates).format(c.x[0], tuple(c.attrs["output_size"]), corners)

    return spell


@sampling.of_rank(4, 4)
def _draw_upsample(rng: random.Random, first: TensorType) -> Attrs:
    return {"output_size": tuple(_other_size(rng, n) for n in first.shape[2:])}


def _upsample(name: str, torch: Sequence[str], attrs: tuple[Attr, ...] = (), **properties: Any) -> Op:
    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        size = _draw_upsample(rng, first)
        return size and {**size, **{attr.name: rng.randint(0, 1) for attr in attrs}}

    return Op(
        name=name,
        shape=_upsample_shape,
        numpy=lambda x, a: _resize(x, _as_resize(a, x[0].shape)),
        error=_upsample_error,
        torch=_upsample_torch(*torch),
        tensorflow=_upsample_tensorflow,
        onnx=_upsample_onnx,
        sample=sampling.alone_with(draw),
        attrs=(Attr("output_size", "ints"), *attrs),
        weight=0.3,
        **properties,
    )


# --- GridSample ------------------------------------------------------------------------------------------------------


def _grid_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, grid = s
    if len(x) != 4 or len(grid) != 4 or grid[3] != 2 or grid[0] != x[0] or 0 in (*x, *grid):
        raise ShapeMismatch(f"GridSample of {tuple(x)} at {tuple(grid)}")
    return [Dims((*x[:2], *grid[1:3]))]


def _pixels(grid: np.ndarray, shape: Sequence[int], align: int) -> list[np.ndarray]:
    """Rows and columns (fractions of them) of the places, which are given as columns and rows from -1 to 1."""
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
"""How steep an interpolation is at most, in both directions together, and what its weights add up to, signs aside."""


def _cubic_weight(distance: np.ndarray) -> np.ndarray:
    """How much an element at a distance of at most 2 counts."""
    d, k = np.abs(distance), np.asarray(_STEEPNESS, distance.dtype)
    near = ((k + 2) * d - (k + 3)) * d * d + 1
    return np.asarray(np.where(d <= 1, near, ((k * d - 5 * k) * d + 8 * k) * d - 4 * k))


def _grid_cubic(x: np.ndarray, rows: np.ndarray, columns: np.ndarray, padding: str) -> np.ndarray:
    """The 16 elements around each place, weighed; what lies outside is taken from the border, or is 0."""
    total: Any = 0
    for row in (np.floor(rows) + i for i in (-1, 0, 1, 2)):
        for column in (np.floor(columns) + i for i in (-1, 0, 1, 2)):
            weight = _cubic_weight(rows - row) * _cubic_weight(columns - column)
            total = total + weight[:, None] * _at(x, row, column, padding)
    return np.asarray(total)


def _grid_sample(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    rows, columns = _pixels(x[1], x[0].shape, a["align_corners"])
    if a["mode"] == "bicubic":
        return _grid_cubic(x[0], rows, columns, a["padding_mode"])
    if a["padding_mode"] == "border":
        rows, columns = (np.clip(v, 0, n - 1) for v, n in zip((rows, columns), x[0].shape[2:], strict=True))
    if a["mode"] == "nearest":
        return _at(x[0], np.rint(rows), np.rint(columns), a["padding_mode"])
    total: Any = 0
    top, left = np.floor(rows), np.floor(columns)
    for row in (top, top + 1):
        for column in (left, left + 1):
            weight = (1 - np.abs(rows - row)) * (1 - np.abs(columns - column))
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


def _grid_torch(c: Call) -> str:
    a = c.attrs
    style = f"mode='{a['mode']}', padding_mode='{a['padding_mode']}', align_corners={bool(a['align_corners'])}"
    return f"F.grid_sample({c.x[0]}, {c.x[1]}, {style})"


@sampling.of_rank(4, 4)
def _sample_grid(rng: random.Random, first: TensorType) -> Sample:
    grid = TensorType(first.dtype, (first.shape[0], rng.choice((1, 2, 3, 5)), rng.choice((1, 2, 3, 8)), 2))
    attrs = {
        "mode": rng.choice(("bilinear", "bilinear", "nearest", "bicubic")),
        "padding_mode": rng.choice(("zeros", "border")),
        "align_corners": rng.randint(0, 1),
    }
    return Sample((Operand(grid),), attrs)


# --- CenterCropPad ---------------------------------------------------------------------------------------------------


def _centring_pads(shape: Sequence[int], a: Any) -> tuple[int, ...]:
    """The pads (or, negative, the elements to cut off) that bring axes to their new sizes around the middle."""
    starts, ends = [0] * len(shape), [0] * len(shape)
    for axis, size in zip(a["axes"], a["shape"], strict=True):
        axis = normalize_axis(axis, len(shape))
        more = size - shape[axis]
        starts[axis] = more // 2 if more > 0 else -(-more // 2)
        ends[axis] = more - starts[axis]
    return (*starts, *ends)


def _centre_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if len(a.axes) != len(a.shape) or min(a.shape, default=1) < 1:
        raise ShapeMismatch(f"CenterCropPad of {tuple(s[0])} to {tuple(a.shape)} along {tuple(a.axes)}")
    out = s[0]
    for axis, size in zip(a.axes, a.shape, strict=True):
        out = out.replace(axis, size)
    return [out]


def _centre_torch(c: Call) -> str:
    value = ", value=False" if c.types[0].dtype == "bool" else ""
    return f"F.pad({c.x[0]}, {torch_pads(_centring_pads(c.types[0].shape, c.attrs))}{value})"


def _centre_tensorflow(c: Call) -> str:
    value = "False" if c.types[0].dtype == "bool" else ""
    text = windows.tensorflow_padded(c.x[0], _centring_pads(c.types[0].shape, c.attrs), value)
    return text if text != c.x[0] else f"tf.identity({text})"


@sampling.of_rank(1)
def _draw_centre(rng: random.Random, first: TensorType) -> Attrs:
    axes = sampling.some_axes(rng, first.rank)
    return {"axes": axes, "shape": tuple(max(1, first.shape[axis] + rng.randint(-3, 3)) for axis in axes)}


OPS: tuple[Op, ...] = (
    Op(
        name="Resize",
        shape=_resize_shape,
        numpy=_resize,
        error=_resize_error,
        torch=_resize_torch,
        tensorflow=_resize_tensorflow,
        sample=sampling.alone_with(_draw_resize),
        attrs=(
            Attr("sizes", "ints", as_input=True, place=3),
            Attr("mode", "string", "nearest"),
            Attr("coordinate_transformation_mode", "string", "half_pixel"),
            Attr("nearest_mode", "string", "round_prefer_floor"),
            Attr("cubic_coeff_a", "float", -0.75),
            Attr("exclude_outside", "int", 0),
        ),
        weight=0.6,
    ),
    _upsample(
        "upsample_nearest2d",
        ("F.interpolate({0}, size={1}, mode='nearest')", "torch.ops.aten.upsample_nearest2d({0}, {1})"),
        types={"T": (*FLOATS, "uint8")},
        moves=True,
    ),
    _upsample(
        "upsample_bilinear2d",
        (
            "F.interpolate({0}, size={1}, mode='bilinear', align_corners={2})",
            "torch.ops.aten.upsample_bilinear2d({0}, {1}, {2})",
        ),
        (Attr("align_corners", "int"),),
        types={"T": FLOATS},
    ),
    Op(
        name="GridSample",
        inputs=("T", "T"),
        types={"T": NO_BFLOAT16},
        shape=_grid_shape,
        numpy=_grid_sample,
        error=_grid_error,
        torch=_grid_torch,
        tensorflow=Hole("TensorFlow samples no images at places of a grid"),
        sample=_sample_grid,
        attrs=(
            Attr("mode", "string", "bilinear"),
            Attr("padding_mode", "string", "zeros"),
            Attr("align_corners", "int", 0),
        ),
        weight=0.8,
    ),
    moving(
        "CenterCropPad",
        _centre_shape,
        lambda x, a: pad_array(x[0], _centring_pads(x[0].shape, a), 0),
        _centre_torch,
        _centre_tensorflow,
        sampling.alone_with(_draw_centre),
        (Attr("shape", "ints", as_input=True), Attr("axes", "ints")),
        weight=0.2,
    ),
)
