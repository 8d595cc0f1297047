"""Operators that resize images, to a size or by factors."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import linear_adjoints, sampling, unspecified, windows
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.shapes import Dims, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, DecomposeFn, ErrorContext, Op, Unsupported, attributes
from polyjuice.ops.text import spell, subscript
from polyjuice.ops.windows import channels_first, channels_last

_SINGLE = 2.0**-24
"""Unit roundoff of the coordinates, which most libraries compute in single precision, whatever the elements are."""

# --- Resize: one matrix for each axis --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Axis:
    """The resize of an axis from ``size`` elements to ``result``, by the factor ``scale``.

    Without a scale (0) the factor is the ratio of the sizes. A scale may be another number: the result has the whole
    part of the product of ``size`` and ``scale``.
    """

    size: int
    result: int
    transformation: str
    scale: float = 0.0

    @property
    def step(self) -> Fraction:
        return 1 / Fraction(self.scale) if self.scale else Fraction(self.size, self.result)

    def coordinate(self, place: int) -> Fraction:
        if self.transformation == "asymmetric":
            return place * self.step
        if self.transformation == "align_corners":
            return Fraction(place * (self.size - 1), self.result - 1) if self.result > 1 else Fraction(0)
        return (place + Fraction(1, 2)) * self.step - Fraction(1, 2)

    def usual_coordinates(self, dtype: Any) -> Iterator[np.ndarray]:
        """The places of all elements by the usual formulas, in rounded arithmetic of a precision."""
        half, places = dtype(0.5), np.arange(self.result, dtype=dtype)
        if self.transformation == "align_corners":
            last, end = dtype(self.size - 1), dtype(max(self.result - 1, 1))
            yield places * (last / end)
            yield places * last / end
            return
        inverse = dtype(self.scale) if self.scale else dtype(self.result) / dtype(self.size)
        step = dtype(1 / self.scale) if self.scale else dtype(self.size) / dtype(self.result)
        if self.transformation == "asymmetric":
            yield places * step
            yield places / inverse
            if self.scale and self.result in (self.size, 2 * self.size):  # Torch has special kernels for these
                yield places * dtype(self.size / self.result)
            return
        if self.scale and self.result == self.size:  # for which ONNX Runtime copies the axis
            yield places
        yield (places + half) * step - half
        yield (places + half) / inverse - half
        yield ((places + half).astype(np.float64) * float(step) - 0.5).astype(dtype)  # fused


_ROUNDINGS = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")

TRANSFORMATIONS = ("half_pixel", "align_corners", "asymmetric")
"""The coordinate transformations of ONNX that the table has."""


@lru_cache(maxsize=512)
def _places(axis: _Axis, rounding: str) -> tuple[int, ...]:
    """The nearest neighbour of each element of the resized axis."""
    exact = _rounded(np.array([axis.coordinate(i) for i in range(axis.result)], object), rounding)
    return tuple(min(max(int(place), 0), axis.size - 1) for place in exact)


@lru_cache(maxsize=512)
def _in_doubt(axis: _Axis, rounding: str) -> np.ndarray:
    """The mask of elements for which a usual formula, in one of two precisions, gives another neighbour."""
    right = np.array(_places(axis, rounding))
    doubt = np.zeros(axis.result, bool)
    for dtype in (np.float32, np.float64):
        for x in axis.usual_coordinates(dtype):
            doubt |= np.clip(_rounded(x, rounding), 0, axis.size - 1) != right
    return doubt


def _rounded(x: np.ndarray, rounding: str) -> np.ndarray:
    half = Fraction(1, 2) if x.dtype == object else x.dtype.type(0.5)
    if rounding.startswith("round"):
        return np.asarray(np.ceil(x - half) if rounding == "round_prefer_floor" else np.floor(x + half))
    return np.asarray(np.floor(x) if rounding == "floor" else np.ceil(x))


@lru_cache(maxsize=512)
def _matrix(axis: _Axis, mode: str, a: float, exclude: int, antialias: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights of an axis' elements in the resized elements, and a mask of elements near enough for a weight."""
    x = np.array([float(axis.coordinate(i)) for i in range(axis.result)])[:, None]
    wider = max(float(axis.step), 1.0) if antialias else 1.0
    reach = math.ceil((1 if mode == "linear" else 2) * wider)
    places = np.floor(x) + np.arange(-reach, reach + 2)
    distances = np.abs(x - places) / wider
    row = np.maximum(1 - distances, 0) if mode == "linear" else windows.cubic(distances, a)
    if exclude:
        row = np.where((places >= 0) & (places < axis.size), row, 0.0)
    if exclude or antialias:
        row = row / np.sum(row, axis=1, keepdims=True)
    weights, near = np.zeros((2, axis.result, axis.size))
    at = np.arange(axis.result)[:, None], np.clip(places, 0, axis.size - 1).astype(int)
    np.add.at(weights, at, row)
    near[at] = 1.0
    return weights, near


def _resized(shape: Sequence[int], a: Attrs) -> dict[int, _Axis]:
    scales = a["scales"] or (0.0,) * len(shape)
    return {
        axis: _Axis(size, result, a["coordinate_transformation_mode"], scale)
        for axis, (size, result, scale) in enumerate(zip(shape, a["sizes"], scales, strict=True))
        if size != result or scale not in (0.0, 1.0)
    }


def _matrices(shape: Sequence[int], a: Attrs) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    style = (a["mode"], a["cubic_coeff_a"], a["exclude_outside"], a["antialias"])
    return {place: _matrix(axis, *style) for place, axis in _resized(shape, a).items()}


def scaled_size(size: int, scale: float) -> int | None:
    """The size of an axis resized by a factor; None where it depends on the precision that computes it."""
    single, double = math.floor(np.float32(index(size)) * np.float32(scale)), math.floor(index(size) * scale)
    return single if single == double else None


def _resize_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if not isinstance(s[0], Dims):
        return [a.sizes]
    require(len(a.sizes) == len(s[0]) and min((*a.sizes, *s[0]), default=1) > 0)
    require(a.mode == "cubic" or not a.exclude_outside or a.antialias)
    require(a.mode != "nearest" or not a.antialias)
    _check_scales(s[0], a.sizes, a.scales)
    return [Dims(a.sizes)]


def _check_scales(shape: Sequence[int], sizes: Sequence[int], scales: Sequence[float]) -> None:
    require(not scales or [scaled_size(n, s) for n, s in zip(shape, scales, strict=False)] == list(sizes))


def _resize(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    if a["mode"] == "nearest":
        return _taken(x[0], a)
    return windows.weighted(x[0], {axis: pair[0] for axis, pair in _matrices(x[0].shape, a).items()})


def _taken(x: np.ndarray, a: Attrs) -> np.ndarray:
    for axis, places in nearest_places(x.shape, a).items():
        x = np.take(x, places, axis=axis)
    return x


def nearest_places(shape: Sequence[int], a: Attrs) -> dict[int, list[int]]:
    return {place: list(_places(axis, a["nearest_mode"])) for place, axis in _resized(shape, a).items()}


def _resize_error(c: ErrorContext) -> np.ndarray:
    """Weights of magnitudes; a coordinate off by its rounding also shifts weight between the elements near it."""
    shape, e = c.x[0].shape, np.broadcast_to(c.e[0], c.x[0].shape)
    if c.attrs["mode"] == "nearest":
        bound = _taken(e, c.attrs)
        for place, resized in _resized(shape, c.attrs).items():
            doubt = _in_doubt(resized, c.attrs["nearest_mode"]).reshape(-1, *[1] * (e.ndim - 1 - place))
            bound = np.where(doubt, np.inf, bound)
        return bound
    if any(axis.size == axis.result for axis in _resized(shape, c.attrs).values()):
        return np.full(c.y[0].shape, np.inf)  # Torch takes a factor that changes no size for 1
    pairs = _matrices(shape, c.attrs)
    weights = {axis: np.abs(pair[0]) for axis, pair in pairs.items()}
    carried = windows.weighted_errors(e, weights)
    if np.isinf(e).any():  # a NaN near the place counts even with weight 0, also along the axes that stay
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


_ANTIALIASING = "its antialiasing is that of images, by pixel centres, without elements beyond the edges"

_TORCH_LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}


def _interpolated(c: Call, mode: str, align: bool | None = None) -> str:
    a, style = c.attrs, f"mode='{mode}'{'' if align is None else f', align_corners={align}'}"
    if a["scales"]:
        return f"F.interpolate({c.x[0]}, scale_factor={tuple(a['scales'][2:])}, {style})"
    factors = tuple(map(_factor, c.types[0].shape[2:], a["sizes"][2:]))
    way = (f"size={tuple(a['sizes'][2:])}", f"scale_factor={factors}, recompute_scale_factor=True")
    style = f"{c.draws.choice(way)}, {style}"
    if style.startswith("size") and not a["antialias"] and c.draws.chance(0.2):
        return f"torch.nn.Upsample({style})({c.x[0]})"
    return f"F.interpolate({c.x[0]}, {style}{', antialias=True' * a['antialias']})"


def _factor(size: int, result: int) -> float:
    """A factor of few digits that leads to a size."""
    middle = (result + 0.5) / size
    return next(f for f in (round(middle, 1), round(middle, 2), middle) if math.floor(size * f) == result)


def _as_images(a: Attrs) -> bool:
    """Whether other frameworks have this antialiasing: they leave out elements beyond the edges, and a is -0.5."""
    usual = a["coordinate_transformation_mode"] == "half_pixel" and not a["scales"] and a["exclude_outside"]
    return bool(usual and (a["mode"] == "linear" or a["cubic_coeff_a"] == -0.5))


def _resize_torch(c: Call) -> str | Unsupported:
    a = c.attrs
    mode, transformation = a["mode"], a["coordinate_transformation_mode"]
    if mode == "nearest":
        kinds = {("asymmetric", "floor"): "nearest", ("half_pixel", "round_prefer_ceil"): "nearest-exact"}
        kind = kinds.get((transformation, a["nearest_mode"]))
        if kind and _image_axes(c) and c.draws.chance(0.7):
            return _interpolated(c, kind)
        rank = c.types[0].rank
        return c.x[0] + "".join(subscript(rank, {k: str(v)}) for k, v in nearest_places(c.types[0].shape, a).items())
    if not _image_axes(c) or transformation == "asymmetric":
        return Unsupported("Torch interpolates the last axes of images, by pixel centres or corners")
    rank = c.types[0].rank
    if a["antialias"]:
        if rank != 4 or not _as_images(a) or c.types[0].dtype not in ("float32", "float64"):
            return Unsupported(_ANTIALIASING)
        if a["sizes"][3] == 1:
            return Unsupported("it gives all rows the values of the first one where the width becomes 1")
        return _interpolated(c, "bilinear" if mode == "linear" else "bicubic", False)
    if mode == "linear":
        return _interpolated(c, _TORCH_LINEAR[rank], transformation == "align_corners")
    if rank != 4 or a["cubic_coeff_a"] != -0.75 or a["exclude_outside"]:
        return Unsupported("Torch's cubic interpolation is that of two axes, with a = -0.75 and edges repeated")
    return _interpolated(c, "bicubic", transformation == "align_corners")


def _resize_tensorflow(c: Call) -> str | Unsupported:
    a, t = c.attrs, c.types[0]
    mode, transformation = a["mode"], a["coordinate_transformation_mode"]
    images = t.rank < 5 and _image_axes(c) and not a["scales"]
    x, line = channels_last(c.x[0], t.rank), t.rank == 3
    place = f"(tf.expand_dims({x}, 1), {[1, a['sizes'][-1]]}" if line else f"({x}, {list(a['sizes'][2:])}"

    def back(text: str) -> str:
        return channels_first(f"tf.squeeze({text}, 1)" if line else text, t.rank)

    if mode == "nearest":
        kinds = {
            ("asymmetric", "floor"): f"tf.compat.v1.image.resize_nearest_neighbor{place})",
            ("half_pixel", "round_prefer_ceil"): f'tf.image.resize{place}, method="nearest")',
            ("align_corners", "round_prefer_ceil"): (
                f"tf.compat.v1.image.resize_nearest_neighbor{place}, align_corners=True)"
            ),
        }
        kind = kinds.get((transformation, a["nearest_mode"]))
        if kind and images and c.draws.chance(0.7):
            return back(kind)
        return _gathered(c, "tf.gather({0}, {1}, axis={2})")
    if mode != "linear" or not images or t.dtype == "float64":
        return Unsupported("TensorFlow's resizing of images is linear, over two axes, and in single precision")
    if a["antialias"] and not _as_images(a):
        return Unsupported(_ANTIALIASING)
    texts = {
        "half_pixel": f'tf.image.resize{place}, method="bilinear", antialias={bool(a["antialias"])})',
        "align_corners": f"tf.compat.v1.image.resize_bilinear{place}, align_corners=True)",
        "asymmetric": f"tf.compat.v1.image.resize_bilinear{place})",
    }
    text = back(texts[transformation])
    return text if t.dtype == "float32" else f"tf.cast({text}, tf.{t.dtype})"


def _gathered(c: Call, template: str) -> str:
    """The nearest neighbours, one axis after the other."""
    text = c.x[0]
    for axis, places in nearest_places(c.types[0].shape, c.attrs).items():
        text = template.format(text, places, axis)
    return text


def _resize_jax(c: Call) -> str | Unsupported:
    a = c.attrs
    by_centres = a["coordinate_transformation_mode"] == "half_pixel"
    if a["mode"] == "nearest":
        if by_centres and a["nearest_mode"] == "round_prefer_ceil" and not a["scales"] and c.draws.chance(0.5):
            return f'jax.image.resize({c.x[0]}, {tuple(a["sizes"])}, "nearest")'
        return _gathered(c, "jnp.take({0}, jnp.array({1}), axis={2})")
    if a["antialias"]:
        text = f'jax.image.resize({c.x[0]}, {tuple(a["sizes"])}, "{a["mode"]}", antialias=True)'
        return text if _as_images(a) else Unsupported(_ANTIALIASING)
    if a["mode"] != "linear" or not by_centres:
        return Unsupported("JAX's resizing is linear, and by pixel centres")
    if not a["scales"]:
        return f'jax.image.resize({c.x[0]}, {tuple(a["sizes"])}, "linear", antialias=False)'
    axes = tuple(axis for axis, scale in enumerate(a["scales"]) if scale != 1)
    scales = f"jnp.array({[a['scales'][axis] for axis in axes]}, jnp.{dtypes.framework_name(c.types[0].dtype)})"
    places = f'{tuple(a["sizes"])}, {axes}, {scales}, jnp.zeros({len(axes)}), "linear"'
    return f"jax.image.scale_and_translate({c.x[0]}, {places}, antialias=False)"


_SCALED = 0.3
"""How often a resize by pixel centres, or of asymmetric places, has factors that are not the ratios of the sizes."""

_ANTIALIASED = 0.3
"""How often images are resized with antialiasing, where that is possible."""

_SCALES = (0.4, 0.5, 0.7, 0.75, 0.9, 1.1, 1.3, 1.3, 1.5, 1.7, 2.0, 2.2, 2.5, 2.7, 3.4)

_IN_DOUBT = 0.5
"""How often an axis gets a size, if there is one, at which a place is next to where its nearest neighbour changes."""

_TRIES = 8
"""How many sizes are tried for that."""


def _other_size(rng: random.Random, size: int) -> int:
    return rng.choice((2 * size, 2 * size, 3 * size, max(size // 2, 1), rng.randint(1, 2 * size + 1), size))


def _doubtful_size(rng: random.Random, size: int, transformation: str, rounding: str) -> int:
    """A size at which some place is next to where its nearest neighbour changes, if one is found."""
    results = range(1, 2 * index(size))
    tried = rng.sample(results, min(_TRIES, len(results)))
    axes = (_Axis(index(size), n, transformation) for n in tried if n != size)
    return next((axis.result for axis in axes if _in_doubt(axis, rounding).any()), _other_size(rng, size))


def _some_scales(rng: random.Random, shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[float, ...]] | None:
    """Factors for axes, and the sizes that they lead to; None where a size is 0, or uncertain."""
    scale = rng.choice(_SCALES)
    drawn = [scale if rng.random() < 0.7 else rng.choice((1.0, *_SCALES)) for _ in shape]
    scales = [float(np.float32(scale)) for scale in drawn]
    sizes = [scaled_size(n, scale) for n, scale in zip(shape, scales, strict=True)]
    return (tuple(n for n in sizes if n), tuple(scales)) if all(sizes) else None


_STYLE = {
    "scales": (),
    "nearest_mode": "round_prefer_floor",
    "cubic_coeff_a": -0.75,
    "exclude_outside": 0,
    "antialias": 0,
}


def _draw_resize(rng: random.Random, first: TensorType) -> Attrs | None:
    if not windows.has_windows(first):
        return None
    sizes = (*first.shape[:2], *(_other_size(rng, n) for n in first.shape[2:]))
    mode = rng.choices(("nearest", "linear", "cubic"), (5, 5, 1 if first.rank == 4 else 0))[0]
    attrs: dict[str, Any] = {
        **_STYLE,
        "sizes": sizes,
        "mode": mode,
        "coordinate_transformation_mode": rng.choice((*TRANSFORMATIONS, "half_pixel")),
    }
    if mode == "nearest":
        common = {"half_pixel": "round_prefer_ceil", "asymmetric": "floor", "align_corners": "round_prefer_ceil"}
        usual = common[attrs["coordinate_transformation_mode"]]
        attrs["nearest_mode"] = usual if rng.random() < 0.6 else rng.choice(_ROUNDINGS)
    elif attrs["coordinate_transformation_mode"] == "asymmetric" and (mode == "cubic" or rng.random() < 0.5):
        attrs["coordinate_transformation_mode"] = "half_pixel"  # most libraries have no other
    if mode == "cubic":
        attrs["exclude_outside"] = int(rng.random() < 0.2)
    transformation = attrs["coordinate_transformation_mode"]
    if mode != "nearest" and transformation == "half_pixel" and first.rank == 4 and rng.random() < _ANTIALIASED:
        of_images = {"cubic_coeff_a": -0.5} if mode == "cubic" else {}
        return {**attrs, "antialias": 1, "exclude_outside": int(rng.random() < 0.8), **of_images}
    if transformation != "align_corners" and rng.random() < _SCALED and (scaled := _some_scales(rng, first.shape[2:])):
        scales = (1.0 if n == m else scale for n, m, scale in zip(first.shape[2:], *scaled, strict=True))
        attrs["sizes"], attrs["scales"] = (*first.shape[:2], *scaled[0]), (1.0, 1.0, *scales)
    elif mode == "nearest" and rng.random() < _IN_DOUBT:
        found = (_doubtful_size(rng, n, transformation, attrs["nearest_mode"]) for n in first.shape[2:])
        attrs["sizes"] = (*first.shape[:2], *found)
    return attrs


# --- upsample_nearest2d, upsample_bilinear2d -------------------------------------------------------------------------


def _as_resize(mode: str, a: Attrs, shape: Sequence[int]) -> dict[str, Any]:
    """The attributes of the Resize that means the same as ATen's upsampling in a mode of Torch."""
    linear = mode != "nearest"
    transformation = ("align_corners" if a["align_corners"] else "half_pixel") if linear else "asymmetric"
    by_factors = a["scales"] and transformation != "align_corners"
    return {
        **_STYLE,
        "nearest_mode": "floor",
        "mode": mode if mode == "nearest" else "cubic" if mode == "bicubic" else "linear",
        "coordinate_transformation_mode": transformation,
        "sizes": (*shape[:2], *a["output_size"]),
        "scales": (1.0, 1.0, *a["scales"]) if by_factors else (),
    }


def _upsample_definition(mode: str) -> DecomposeFn:
    def resized(x: Term, a: Attrs) -> Term:
        floating = x if x.dtype in FLOATS else x.to("float32")
        return floating.then("Resize", **_as_resize(mode, a, x.shape)).to(x.dtype)

    return onnx_term(resized, widen=False)


def _upsample_torch(name: str, mode: str) -> Callable[[Call], str]:
    """Torch's texts of an upsampling; ATen's own operator has the factors at the end."""

    def spell(c: Call) -> str:
        a = c.attrs
        align = bool(a["align_corners"]) if "align_corners" in a else None
        if c.draws.chance(0.3):
            arguments = [c.x[0], tuple(a["output_size"]), *([] if align is None else [align]), *a["scales"]]
            return f"torch.ops.aten.{name}({', '.join(map(str, arguments))})"
        attrs = _as_resize(mode, a, c.types[0].shape)
        return _interpolated(Call(c.x, c.types, c.results, attrs, c.draws, c.let), mode, align)

    return spell


def upsample(name: str, mode: str, axes: int, **properties: Any) -> Op:
    """The entry of an upsampling of some last axes. All modes but ``nearest`` may make the corners meet."""
    flags = attributes(align_corners="int") if mode != "nearest" else ()

    def shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
        if isinstance(s[0], Dims):
            require(len(s[0]) == axes + 2 and len(a.output_size) == axes and min((*s[0], *a.output_size)) > 0)
            _check_scales(s[0][2:], a.output_size, a.scales)
        return [s[0].batch(axes).append(*(a.output_size[i] for i in range(axes)))]

    @sampling.of_rank(axes + 2, axes + 2)
    def draw(rng: random.Random, first: TensorType) -> Attrs:
        scaled = rng.random() < _SCALED and _some_scales(rng, first.shape[2:])
        size, scales = scaled or (tuple(_other_size(rng, n) for n in first.shape[2:]), ())
        drawn = {"output_size": size, "scales": scales}
        return {**drawn, **{attr.name: rng.randint(0, 1) for attr in flags}}

    return Op(
        name=name,
        shape=shape,
        text=spell(_upsample_torch(name, mode)),
        definition=_upsample_definition(mode),
        sample=sampling.alone_with(draw),
        attrs=(Attr("output_size", "ints"), Attr("scales", "floats", ()), *flags),
        weight=0.3,
        **({"unsettled": unspecified.interpolation} if flags else _NEAREST),
        **properties,
    )


def _nearest_error(c: ErrorContext) -> np.ndarray:
    return _resize_error(c._replace(attrs=_as_resize("nearest", c.attrs, c.x[0].shape)))


_NEAREST: dict[str, Any] = {
    "error": _nearest_error,
    "why_not_derived": "it rounds nothing, where Resize may, and some places are in doubt for integers, too",
    "types": {"T": (*FLOATS, "uint8")},
    "moves": True,
}


def _normal_resize(a: GivenAttrs, x: Types) -> None:
    """The sizes of all axes, and their scales where those differ from the ratios of the sizes."""
    shape, rank = x[0].shape, x[0].rank
    axes = [normalize_axis(axis, rank) for axis in a.pop("axes", range(rank))]
    scales, sizes = a.pop("scales"), a.get("sizes", ())
    demand(len(scales or sizes) == len(axes), "neither sizes nor scales")
    if scales:
        sizes = [scaled_size(shape[axis], s) for axis, s in zip(axes, scales, strict=True)]
        demand(None not in sizes, "scales that lead to no certain size")
        ratios = [np.float32(size / shape[axis]) for axis, size in zip(axes, sizes, strict=True) if shape[axis]]
        if ratios != [np.float32(s) for s in scales]:
            demand(a["coordinate_transformation_mode"] != "align_corners", "corners aligned by scales")
            a["scales"] = tuple(dict(zip(axes, scales, strict=True)).get(axis, 1.0) for axis in range(rank))
    a["sizes"] = tuple(dict(zip(axes, sizes, strict=True)).get(axis, size) for axis, size in enumerate(shape))
    if a["coordinate_transformation_mode"] == "pytorch_half_pixel":
        demand(all(n > 1 or n == size for n, size in zip(a["sizes"], shape, strict=True)), "an axis of one element")
        a["coordinate_transformation_mode"] = "half_pixel"
    transformation, mode = a["coordinate_transformation_mode"], a["mode"]
    demand(transformation in TRANSFORMATIONS, f"the coordinate transformation {transformation}")
    demand(mode in ("nearest", "linear", "cubic"), f"the mode {mode}")
    unused = {"roi", "extrapolation_value"}
    if mode != "nearest":
        unused.add("nearest_mode")
    if mode != "cubic":
        unused.add("cubic_coeff_a")
        demand(a["antialias"] or a["exclude_outside"] == 0, "edges excluded in another mode than cubic")
    for name in unused & a.keys():
        del a[name]


OPS: tuple[Op, ...] = (
    Op(
        name="Resize",
        shape=_resize_shape,
        numpy=_resize,
        error=_resize_error,
        text=spell(_resize_torch, tf=_resize_tensorflow, jax=_resize_jax),
        sample=sampling.alone_with(_draw_resize),
        attrs=(
            Attr("scales", "floats", (), as_input=True, place=2),
            Attr("sizes", "ints", as_input=True, place=3),
            *attributes(
                mode="nearest",
                coordinate_transformation_mode="half_pixel",
                nearest_mode="round_prefer_floor",
                cubic_coeff_a=-0.75,
                exclude_outside=0,
                antialias=0,
            ),
        ),
        weight=0.6,
        adjoint=linear_adjoints.resize,
        unsettled=unspecified.interpolation,
        normal=_normal_resize,
    ),
    upsample("upsample_nearest2d", "nearest", 2),
    upsample("upsample_bilinear2d", "bilinear", 2),
)
