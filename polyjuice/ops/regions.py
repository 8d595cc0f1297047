"""Operators with places in images as an operand: poolings of regions, undone poolings, and deformed windows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import errors, sampling, unspecified, windows
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.normal import GivenAttrs, Types
from polyjuice.ops.pointwise import composed
from polyjuice.ops.reductions import greatest_error
from polyjuice.ops.shapes import Dims, fitting, require
from polyjuice.ops.spec import Call, ErrorContext, Op, Operand, Sample, Unsupported, attributes, facts
from polyjuice.ops.text import spell
from polyjuice.ops.windows import normal_conv

_TYPES = ("float16", "float32", "float64")

# --- RoiAlign --------------------------------------------------------------------------------------------------------


def _places(rois: Term, a: Attrs, axis: int) -> Term:
    """The fractional places of all samples along the rows (axis 0) or columns of an image, ``[regions, samples]``."""
    count, ratio = a["output_width" if axis else "output_height"], a["sampling_ratio"]
    half_pixel = a["coordinate_transformation_mode"] == "half_pixel"
    start, end = [rois.slice(1, i, i + 1) * a["spatial_scale"] for i in (1 - axis, 3 - axis)]
    size = end - start if half_pixel else (end - start).then("Max", 1.0)
    steps = (np.arange(count * ratio) + 0.5) / (count * ratio)
    places: Term = start + size * size.constant(steps.astype(dtypes.to_numpy(size.dtype)))
    return places - 0.5 if half_pixel else places


def _weights(rois: Term, a: Attrs, axis: int, size: int) -> list[Term]:
    """The weights of all pixels along an axis, ``[regions, 1, samples, pixels]``: one for the mean, two for maxima.

    A sample is 0 if it lies more than one pixel outside.
    """
    place = _places(rois, a, axis).unsqueeze(1, 3)
    inside = (place >= -1.0).then("And", place <= float(size))
    place = place.then("Max", 0.0).then("Min", float(size - 1))
    pixels = place.constant(np.arange(size).astype(dtypes.to_numpy(place.dtype)))
    if a["mode"] == "avg":
        shares = [(1.0 - abs(place - pixels)).then("Relu")]
    else:
        low = place.then("Floor")
        part = place - low
        shares = [where(low.equals(pixels), 1.0 - part, 0.0), where((low + 1.0).equals(pixels), part, 0.0)]
    return [where(inside, share, 0.0) for share in shares]


def _roi_align(x: Term, rois: Term, batch: Term, a: Attrs) -> Term:
    """The mean of the bilinear samples in each bin, or the greatest of their four terms, as ONNX has it."""
    images, ratio = x.then("Gather", batch, axis=0), a["sampling_ratio"]
    rows, columns = (_weights(rois, a, i, x.shape[2 + i]) for i in (0, 1))
    samples = [row @ images @ column.permute(0, 1, 3, 2) for row in rows for column in columns]
    window = {"kernel_shape": (ratio,) * 2, "strides": (ratio,) * 2, "pads": (0,) * 4, "dilations": (1, 1)}
    if a["mode"] == "avg":
        return samples[0].then("AveragePool", **window, ceil_mode=0, count_include_pad=0)
    return samples[0].then("Max", *samples[1:]).then("MaxPool", **window, ceil_mode=0)


def _fits_roi_align(s: Sequence[Dims], a: Any) -> bool:
    x, rois, batch = s
    modes = a.mode in ("avg", "max") and a.coordinate_transformation_mode in ("half_pixel", "output_half_pixel")
    sizes = min(a.sampling_ratio, a.output_height, a.output_width) > 0
    return len(x) == 4 and 0 not in x and rois == (*batch, 4) and len(batch) == 1 and modes and sizes


@sampling.of_rank(4, 4)
def _sample_roi_align(rng: random.Random, first: TensorType) -> Sample:
    count = rng.choice((1, 2, 3))
    rois = Operand(TensorType(first.dtype, (count, 4)), (0, max(first.shape[2:])) if rng.random() < 0.7 else None)
    return Sample(
        (rois, Operand(TensorType("int64", (count,)), (0, first.shape[0] - 1))),
        {
            "coordinate_transformation_mode": rng.choice(("half_pixel", "output_half_pixel")),
            "mode": rng.choice(("avg", "avg", "max")),
            "output_height": rng.choice((1, 2, 3)),
            "output_width": rng.choice((1, 2, 3)),
            "sampling_ratio": rng.choice((1, 2, 3)),
            "spatial_scale": rng.choice((1.0, 0.5, 0.3)),
        },
    )


# --- MaxRoiPool ------------------------------------------------------------------------------------------------------


def _rounded(rois: np.ndarray, a: Attrs) -> np.ndarray:
    """The corners of the regions as whole columns and rows; halves are rounded away from 0."""
    scaled = rois[:, 1:].astype(np.float64) * a["spatial_scale"]
    return np.asarray(np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int64))


def _bins(first: int, last: int, count: int, widened: bool) -> list[slice]:
    """The bins of a region along an axis, within the image.

    ``widened`` adds the element at an end where the quotient of length and count, once rounded, may fall short of it.
    """
    length = max(last - first + 1, 1)
    inexact = [int(widened and length % count > 0 and i * length % count == 0) for i in range(count + 1)]
    lows = (first + i * length // count - (inexact[i] if i else 0) for i in range(count))
    highs = (first - (-(i + 1) * length // count) + inexact[i + 1] for i in range(count))
    return [slice(max(low, 0), max(high, 0)) for low, high in zip(lows, highs, strict=True)]


def _max_roi_pool(x: Sequence[np.ndarray], a: Attrs, widened: bool = False) -> np.ndarray:
    """The greatest element of each bin; 0 for an empty one."""
    images, rois = x
    out = np.zeros((len(rois), images.shape[1], *a["pooled_shape"]), images.dtype)
    for place, image, (left, top, right, bottom) in zip(out, rois[:, 0].astype(int), _rounded(rois, a), strict=True):
        rows = _bins(top, bottom, a["pooled_shape"][0], widened)
        columns = _bins(left, right, a["pooled_shape"][1], widened)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                found = images[image, :, row, column]
                place[:, i, j] = found.max(axis=(1, 2)) if found.size else 0
    return out


def _max_roi_error(c: ErrorContext) -> np.ndarray:
    """The greatest error in a bin; infinite where a region's corner, or the end of a bin, is open."""
    rois = np.asarray(c.x[1], np.float64)
    scaled = rois[:, 1:] * c.attrs["spatial_scale"]
    half = np.abs(np.abs(scaled) % 1 - 0.5)
    open_ = np.any(np.broadcast_to(c.e[1], rois.shape) > 0, axis=1)
    open_ |= np.any((half > 0) & (half <= 4 * c.unit * np.abs(scaled)), axis=1)
    moved = greatest_error(c._replace(x=c.x[:1], e=c.e[:1]), lambda x, a: _max_roi_pool([x[0], rois], a))
    other = c.y[0] != _max_roi_pool([c.x[0], rois], c.attrs, widened=True)
    return errors.infinite_if(open_[:, None, None, None] | other, moved)


@sampling.of_rank(4, 4)
def _sample_max_roi_pool(rng: random.Random, first: TensorType) -> Sample:
    """Regions whose whole numbers, that of the image among them, a scale carries over the image."""
    rois = Operand(TensorType(first.dtype, (rng.choice((1, 2, 3)), 5)), (0, first.shape[0] - 1))
    shape = (rng.choice((1, 2, 3)), rng.choice((1, 2, 3)))
    return Sample((rois,), {"pooled_shape": shape, "spatial_scale": rng.choice((1.0, 2.0, 1.7))})


# --- MaxUnpool, max_unpool2d, max_unpool3d ---------------------------------------------------------------------------


def _unpooled(x: Term, index: Term, shape: Sequence[int], planes: int) -> Term:
    """Zeros with the elements at places, which are counted within each of some planes."""
    zeros = x.number(0.0).expand(planes, sampling.total(shape) // planes)
    index, x = (t.reshape(planes, sampling.total(t.shape) // planes) for t in (index, x))
    return zeros.then("ScatterElements", index, x, axis=1, reduction="none").reshape(*shape)


def _sizes(spatial: Sequence[int], a: Attrs) -> list[int]:
    """The sizes of the image whose windows were pooled."""
    axes = zip(spatial, a["kernel_shape"], a["strides"], windows.pairs(a["pads"]), strict=True)
    return [(n - 1) * stride + kernel - sum(pads) for n, kernel, stride, pads in axes]


def _max_unpool_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, index = s
    window = {name: getattr(a, name) for name in ("kernel_shape", "strides", "pads")}
    sizes = _sizes(x[2:], window)
    require(len(x) > 2 and 0 not in x and x == index and min(sizes) > 0)
    return [Dims((*x[:2], *sizes))]


@sampling.of_rank(3, 5)
def _sample_max_unpool(rng: random.Random, first: TensorType) -> Sample:
    r = first.rank - 2
    kernel = tuple(rng.choice((1, 2, 3)) for _ in range(r))
    attrs = {
        "kernel_shape": kernel,
        "strides": tuple(rng.choice((k, k, k + 1, 1)) for k in kernel),
        "pads": tuple(rng.choice((0, 0, 0, k // 3)) for k in (*kernel, *kernel)),
    }
    sizes = _sizes(first.shape[2:], attrs)
    shape = (*first.shape[:2], *(max(n, 1) for n in sizes))
    return Sample((_each_once(first, sampling.total(shape)),), attrs)


def _each_once(first: TensorType, size: int) -> Operand:
    """Places. Those along the longest axis differ, unless it is longer than the image."""
    axis = max(range(first.rank), key=lambda i: first.shape[i])
    return Operand(TensorType("int64", first.shape), (0, size - 1), axis if first.shape[axis] <= size else None)


def _aten_unpool(axes: int) -> Op:
    """ATen's operator over this number of axes; an image may lack the batch."""

    def sized(first: Sequence[int], a: Attrs) -> tuple[int, ...]:
        return (*first[:-axes], *a["output_size"])

    def text(c: Call) -> tuple[str, ...]:
        a, spatial = c.attrs, c.types[0].shape[-axes:]
        further = ", {stride}, {padding}" if axes == 3 else ""
        kernel = tuple(-(-out // n) for out, n in zip(a["output_size"], spatial, strict=True))
        fits = all(n * k - out < k for n, k, out in zip(spatial, kernel, a["output_size"], strict=True))
        usual = fits and tuple(a.get("stride", kernel)) == kernel and not any(a.get("padding", ()))
        plain = f"F.max_unpool{axes}d({{0}}, {{1}}, {kernel}, output_size={{output_size}})"
        return (f"torch.ops.aten.max_unpool{axes}d({{0}}, {{1}}, {{output_size}}{further})", *[plain] * usual)

    @sampling.of_rank(axes + 1, axes + 2)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        scales = tuple(rng.choice((1, 2, 3)) for _ in range(axes))
        size = tuple(n * k - rng.choice((0, 0, k // 2)) for n, k in zip(first.shape[-axes:], scales, strict=True))
        further = {"stride": scales, "padding": (0,) * axes} if axes == 3 else {}
        return Sample((_each_once(first, sampling.total(size)),), {"output_size": size, **further})

    return composed(
        f"max_unpool{axes}d",
        lambda x, i, a: _unpooled(x, i, sized(x.shape, a), sampling.total(x.shape[:-axes])),
        spell(text),
        sample,
        shape=fitting(
            lambda s, a: (
                len(s[0]) in (axes + 1, axes + 2)
                and s[0] == s[1]
                and 0 not in (*s[0], *a.output_size)
                and len(a.output_size) == axes
                and all(len(a.stride) == len(a.padding) == axes and min(a.stride) > 0 for _ in range(axes == 3))
            ),
            lambda s, a: [s[0].batch(axes).append(*(a.output_size[i] for i in range(axes)))],
        ),
        types={"T": dtypes.FLOATS, "I": ("int64",)},
        attrs=attributes(output_size="ints", **({"stride": "ints", "padding": "ints"} if axes == 3 else {})),
        **_UNPOOLS,
    )


_UNPOOLS: dict[str, Any] = {
    "inputs": ("T", "I"),
    "widen": False,
    **facts(integer_exact=True, weight=0.3, followers="Conv Relu Add"),
}


def _normal_unpool(a: GivenAttrs, x: Types) -> None:
    rank = x[0].rank - 2
    a.setdefault("strides", (1,) * rank)
    a.setdefault("pads", (0,) * (2 * rank))


# --- DeformConv ------------------------------------------------------------------------------------------------------


def _near(place: Term, size: int) -> Term:
    """The weight of each pixel of an axis at some places: 1 less the distance, and 0 beyond."""
    pixels = place.constant(np.arange(size).astype(dtypes.to_numpy(place.dtype)))
    return (1.0 - abs(place.unsqueeze(place.rank) - pixels)).then("Relu")


def _deform_conv(x: Term, w: Term, offset: Term, *rest: Any) -> Term:
    """The bilinear samples of all windows as a product of weights with the images, then the kernel's product."""
    *more, a = rest
    (n, channels, *sizes), (out, inner, *kernel), spatial = x.shape, w.shape, offset.shape[2:]
    groups, parts, taps, places = a["group"], a["offset_group"], sampling.total(kernel), sampling.total(spatial)
    shifts = offset.reshape(n, parts, taps, 2, places)
    weights = []
    for i in (0, 1):
        steps = np.arange(kernel[i])[:, None] * a["dilations"][i] + np.arange(spatial[i]) * a["strides"][i]
        base = np.expand_dims(steps - a["pads"][i], (1, 3) if i == 0 else (0, 2))
        base = np.broadcast_to(base, (*kernel, *spatial)).reshape(taps, places).astype(dtypes.to_numpy(x.dtype))
        weights.append(_near(shifts.slice(3, i, i + 1).squeeze(3) + x.constant(base), sizes[i]))
    near = (weights[0].unsqueeze(5) * weights[1].unsqueeze(4)).reshape(n, parts, taps * places, sampling.total(sizes))
    images = x.reshape(n, parts, channels // parts, sampling.total(sizes)).permute(0, 1, 3, 2)
    samples = (near @ images).reshape(n, parts, taps, places, channels // parts)
    if len(more) > 1:
        samples = samples * more[1].reshape(n, parts, taps, places, 1)
    columns = samples.permute(0, 1, 4, 2, 3).reshape(n, groups, inner * taps, places)
    product = w.reshape(1, groups, out // groups, inner * taps) @ columns
    result = product.reshape(n, out, *spatial)
    return result + more[0].reshape(1, out, 1, 1) if more else result


def _fits_deform(s: Sequence[Dims], a: Any) -> bool:
    x, w, offset, *rest = s
    require(len(x) == len(w) == 4 and 0 not in (*x, *w) and x[1] == w[1] * a.group and w[0] % a.group == 0)
    spatial = windows.window_dims(x[2:], w[2:], a.strides, a.pads, a.dilations)
    lines = (x[0], a.offset_group * w[2] * w[3], *spatial)
    fits = x[1] % a.offset_group == 0 and offset == (lines[0], 2 * lines[1], *spatial)
    return fits and all(found == wanted for found, wanted in zip(rest, ((w[0],), lines), strict=False))


def _sample_deform(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank != 4 or 0 in first.shape:
        return None
    channels = first.shape[1]
    window = windows.draw_window(rng, first.shape[2:], dilate=True)
    kernel = window.pop("kernel_shape")
    groups, parts = (rng.choice((1, 1, *sampling.factors(channels))) for _ in range(2))
    out = groups * rng.choice((1, 2, 3))
    sizes = windows.window_dims(first.shape[2:], kernel, window["strides"], window["pads"], window["dilations"])
    lines = parts * sampling.total(kernel)
    further = [(out,), (first.shape[0], lines, *sizes)][: rng.choice((0, 1, 2))]
    shapes = [(out, channels // groups, *kernel), (first.shape[0], 2 * lines, *sizes), *further]
    return sampling.operands(first, *shapes, **window, group=groups, offset_group=parts)


OPS: tuple[Op, ...] = (
    composed(
        "RoiAlign",
        _roi_align,
        spell(),
        _sample_roi_align,
        inputs=("T", "T", "I"),
        types={"T": _TYPES, "I": ("int64",)},
        shape=fitting(_fits_roi_align, lambda s, a: [s[2].append(s[0][1], a.output_height, a.output_width)]),
        attrs=attributes(
            coordinate_transformation_mode="half_pixel",
            mode="avg",
            output_height="int",
            output_width="int",
            sampling_ratio="int",
            spatial_scale=1.0,
        ),
        unsettled=unspecified.interpolation,
        **facts(weight=0.4),
    ),
    Op(
        name="MaxRoiPool",
        inputs=("T", "T"),
        types={"T": _TYPES},
        shape=fitting(
            lambda s, a: (
                len(s[0]) == 4 and 0 not in s[0] and len(s[1]) == 2 and s[1][1] == 5 and len(a.pooled_shape) == 2
            ),
            lambda s, a: [s[0].replace(0, s[1][0]).replace(2, a.pooled_shape[0]).replace(3, a.pooled_shape[1])],
        ),
        numpy=_max_roi_pool,
        error=_max_roi_error,
        text=dict.fromkeys(("torch", "tensorflow", "jax"), Unsupported("the sizes of its bins depend on values")),
        sample=_sample_max_roi_pool,
        attrs=attributes(pooled_shape="ints", spatial_scale=1.0),
        **facts(integer_exact=True, continuous=False, weight=0.2),
    ),
    composed(
        "MaxUnpool",
        lambda x, i, a: _unpooled(x, i, (*x.shape[:2], *_sizes(x.shape[2:], a)), 1),
        spell(),
        _sample_max_unpool,
        types={"T": _TYPES, "I": ("int64",)},
        shape=_max_unpool_shape,
        attrs=attributes(kernel_shape="ints", strides="ints", pads="ints"),
        normal=_normal_unpool,
        **_UNPOOLS,
    ),
    _aten_unpool(2),
    _aten_unpool(3),
    composed(
        "DeformConv",
        _deform_conv,
        spell(),
        _sample_deform,
        operands=5,
        shape=fitting(_fits_deform, lambda s, a: [s[2].replace(1, s[1][0])]),
        attrs=attributes(strides="ints", pads="ints", dilations="ints", group=1, offset_group=1),
        normal=normal_conv,
        unsettled=unspecified.interpolation,
        **facts(min_inputs=3, since=19, weight=0.3),
    ),
)
