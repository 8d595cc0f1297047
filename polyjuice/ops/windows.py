"""Sliding windows: their arithmetic, their views of arrays, and shared texts of windowed operators."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.shapes import ShapeMismatch, require
from polyjuice.ops.text import subscript


def window_dims(
    spatial: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
    ceil_mode: int = 0,
) -> tuple[int, ...]:
    """Output sizes of a sliding window (ONNX Conv and MaxPool); no window starts in the padding at the end."""
    r = len(spatial)
    if not (len(kernel) == len(strides) == len(dilations) == r and len(pads) == 2 * r):
        raise ShapeMismatch(f"kernel, strides, dilations and pads do not fit {r} spatial dimensions")
    if min((*kernel, *strides, *dilations), default=1) < 1:
        raise ShapeMismatch("kernels, strides and dilations are at least 1")
    out = []
    for i, size in enumerate(spatial):
        free = size + pads[i] + pads[r + i] - (dilations[i] * (kernel[i] - 1) + 1)
        if free < 0:
            raise ShapeMismatch(f"the window does not fit the spatial size {size}")
        count = (-(-free // strides[i]) if ceil_mode else free // strides[i]) + 1
        if ceil_mode and (count - 1) * strides[i] >= size + pads[i]:
            count -= 1
        out.append(count)
    return tuple(out)


def drops_windows(spatial: Sequence[int], a: Mapping[str, Any]) -> bool:
    """Whether ``ceil_mode`` gives windows that would start in the padding; ONNX's versions differ on those."""
    r = len(spatial)
    free_of_axes = (
        n + a["pads"][i] + a["pads"][r + i] - a["dilations"][i] * (a["kernel_shape"][i] - 1) - 1
        for i, n in enumerate(spatial)
    )
    starts = (-(-free // s) * s for free, s in zip(free_of_axes, a["strides"], strict=True))
    return any(start >= n + a["pads"][i] for i, (start, n) in enumerate(zip(starts, spatial, strict=True)))


def windows(x: np.ndarray, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> np.ndarray:
    """All windows of an already padded ``[N, C, spatial...]`` array: ``[N, C, out..., kernel...]``."""
    r = len(kernel)
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
    view = sliding_window_view(x, reach, axis=tuple(range(2, 2 + r)))
    index = [slice(None), slice(None), *(slice(None, None, step) for step in (*strides, *dilations))]
    return view[tuple(index)]


def covering_pads(spatial: Sequence[int], a: Attrs) -> tuple[int, ...]:
    """The pads with which the floor formula gives as many windows as ``ceil_mode`` does."""
    sizes = window_dims(spatial, a["kernel_shape"], a["strides"], a["pads"], a["dilations"], a["ceil_mode"])
    axes = zip(sizes, spatial, pairs(a["pads"]), a["strides"], a["dilations"], a["kernel_shape"], strict=True)
    ends = (max(end, (out - 1) * s + d * (k - 1) + 1 - n - start) for out, n, (start, end), s, d, k in axes)
    return (*a["pads"][: len(spatial)], *ends)


def as_onnx_window(a: Attrs) -> dict[str, Any]:
    """ONNX's attributes for the window of ATen's operators; without strides the windows lie side by side."""
    return {
        "kernel_shape": tuple(a["kernel_size"]),
        "strides": tuple(a["stride"]) or tuple(a["kernel_size"]),
        "pads": (*a["padding"], *a["padding"]),
        "dilations": tuple(a.get("dilation", (1, 1))),
        "ceil_mode": a.get("ceil_mode", 0),
    }


def gathered(x: Term, places: Sequence[np.ndarray], pads: Sequence[int], filling: float) -> Term:
    """The elements of all windows, ``[N, C, out..., kernel]``.

    For each spatial axis there is a matrix ``[out, kernel]`` of places in the image with its pads.
    """
    if any(pads):
        x = x.then("Pad", pads=spatial_pads(pads), value=filling, mode="constant")
    for axis, along in enumerate(places, start=2):
        x = x.then("Gather", x.constant(along), axis=axis)
        x = x.permute(*(i for i in range(x.rank) if i != axis + 1), axis + 1)
        if axis > 2:
            x = x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])
    return x


def aten_places(x: Term, a: Attrs) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """The places and the pads of an ATen operator's windows on images, for :func:`gathered`."""
    window = as_onnx_window(a)
    require(x.rank == 4 and min(window["pads"]) >= 0)
    pads = covering_pads(x.shape[2:], window)
    sizes = [n + p + q for n, (p, q) in zip(x.shape[2:], pairs(pads), strict=True)]
    return window_places(sizes, window), pads


def window_places(sizes: Sequence[int], a: Attrs) -> list[np.ndarray]:
    """The places of all windows along each axis of a padded image of these sizes, ``[out, kernel]``."""
    axes = zip(sizes, *(a[name] for name in ("kernel_shape", "strides", "dilations")), strict=True)
    return [np.arange(0, n - d * (k - 1), s)[:, None] + np.arange(k) * d for n, k, s, d in axes]


def greatest(x: Term, places: Sequence[np.ndarray], pads: Sequence[int], dilations: Sequence[int]) -> list[Term]:
    """The greatest element of each window (:func:`gathered`), and its place in the flat image without pads."""
    elements = gathered(x, places, pads, -np.inf)
    last = elements.rank - 1
    best = elements.then("ArgMax", axis=last, keepdims=0, select_last_index=0)
    lines = [math.prod(x.shape[axis + 1 :]) for axis in range(2, x.rank)]
    starts = ((along[:, 0] - pad) * line for along, pad, line in zip(places, pads, lines, strict=False))
    place = best.constant(sum(np.ix_(*starts)))
    for along, dilation, line in reversed(list(zip(places, dilations, lines, strict=True))):
        kernel = along.shape[1]
        place = place + best.then("Mod", kernel, fmod=0) * (dilation * line)
        best = best / kernel
    return [elements.reduce("Max", last, keepdims=False), place]


def flat_places(shape: Sequence[int], kernel: Sequence[int], a: Attrs) -> np.ndarray:
    """The flat places in an image of each window's elements, ``[N, C, out..., kernel...]``; -1 in the padding."""
    flat = np.arange(math.prod(shape)).reshape(tuple(shape))
    return windows(pad_array(flat, spatial_pads(a["pads"]), -1), kernel, a["strides"], a["dilations"])


def added_up(shape: Sequence[int], places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """An image of the sums of all values at the same place; those in the padding are lost."""
    inside = places >= 0
    return np.bincount(places[inside], values[inside], math.prod(shape)).reshape(tuple(shape)).astype(values.dtype)


def spatial_pads(pads: Sequence[int]) -> tuple[int, ...]:
    """Pads of the spatial axes as pads of all axes."""
    r = len(pads) // 2
    return (0, 0, *pads[:r], 0, 0, *pads[r:])


def pairs(pads: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """ONNX's pads as a pair for each axis."""
    half = len(pads) // 2
    return tuple(zip(pads[:half], pads[half:], strict=True))


def is_symmetric(pads: Sequence[int]) -> bool:
    r = len(pads) // 2
    return tuple(pads[:r]) == tuple(pads[r:])


def has_windows(first: TensorType) -> bool:
    """Whether a type has batch, channels, and one to three spatial dimensions."""
    return 3 <= first.rank <= 5 and 0 not in first.shape


def draw_window(rng: random.Random, spatial: Sequence[int], dilate: bool) -> dict[str, tuple[int, ...]]:
    """ONNX's attributes of a window that fits."""
    kernel, strides, dilations, starts, ends = [], [], [], [], []
    for size in spatial:
        k = rng.choice([k for k in (1, 2, 3, 5) if k <= size])
        d = rng.choice([d for d in (1, 1, 1, 2) if d * (k - 1) < size]) if dilate else 1
        most = min(k // 2, 2)
        start = rng.randint(0, most)
        kernel.append(k)
        dilations.append(d)
        strides.append(rng.choice((1, 1, 2, 3)))
        starts.append(start)
        ends.append(start if rng.random() < 0.6 else rng.randint(0, most))
    return {
        "kernel_shape": tuple(kernel),
        "strides": tuple(strides),
        "pads": (*starts, *ends),
        "dilations": tuple(dilations),
    }


def draw_aten_window(rng: random.Random, spatial: Sequence[int], dilate: bool = True) -> dict[str, Any]:
    """ATen's attributes of a window that fits two axes."""
    drawn = draw_window(rng, spatial, dilate)
    names = {"kernel_size": "kernel_shape", "stride": "strides", "padding": "pads", "dilation": "dilations"}
    return {name: drawn[of][:2] for name, of in names.items()}


# --- normal forms ----------------------------------------------------------------------------------------------------


def normal_window(a: GivenAttrs, spatial: Sequence[int], kernel: Sequence[int]) -> None:
    """Explicit strides, dilations and pads, instead of defaults and ``auto_pad``."""
    rank = len(spatial)
    strides = a.setdefault("strides", (1,) * rank)
    dilations = a.setdefault("dilations", (1,) * rank)
    demand(len(kernel) == len(strides) == len(dilations) == rank, "a window of another rank")
    auto_pad = a.pop("auto_pad", "NOTSET")
    pads = a.setdefault("pads", (0,) * (2 * rank))
    if auto_pad != "NOTSET":
        demand(auto_pad in ("VALID", "SAME_UPPER", "SAME_LOWER"), f"auto_pad {auto_pad}")
        demand(not any(pads) and not a.get("ceil_mode", 0), "auto_pad beside pads or ceil_mode")
        a["pads"] = auto_pads(auto_pad, spatial, kernel, strides, dilations)


def auto_pads(
    mode: str, spatial: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[int, ...]:
    """The pads of ONNX's ``auto_pad``."""
    rank = len(spatial)
    pads = same_pads(spatial, kernel, strides, dilations) if mode != "VALID" else (0,) * (2 * rank)
    return (*pads[rank:], *pads[:rank]) if mode == "SAME_LOWER" else pads


def normal_pool(a: GivenAttrs, x: Types) -> None:
    normal_window(a, x[0].shape[2:], a["kernel_shape"])


def normal_average(a: GivenAttrs, x: Types) -> None:
    """ONNX's versions define the divisor differently where a window is rounded up."""
    demand(a["ceil_mode"] == 0, "ceil_mode")
    normal_pool(a, x)


def normal_conv(a: GivenAttrs, x: Types) -> None:
    kernel = x[1].shape[2:]
    demand(a.pop("kernel_shape", kernel) == kernel, "a kernel shape that is not the weights'")
    normal_window(a, x[0].shape[2:], kernel)


# --- text ------------------------------------------------------------------------------------------------------------


def channels_last(text: str, rank: int) -> str:
    """TensorFlow: the channels behind the spatial axes, as its CPU kernels require."""
    return f"tf.transpose({text}, {[0, *range(2, rank), 1]})"


def channels_first(text: str, rank: int) -> str:
    """TensorFlow: the channels moved back before the spatial axes."""
    return f"tf.transpose({text}, {[0, rank - 1, *range(1, rank - 1)]})"


def tensorflow_padded(text: str, pads: Sequence[int], value: str = "") -> str:
    """TensorFlow: the pads of all axes (negative ones crop), where there are any."""
    rank = len(pads) // 2
    cut = {i: cropped(-pads[i], -pads[rank + i]) for i in range(rank) if min(pads[i], pads[rank + i]) < 0}
    text = f"{text}{subscript(rank, cut)}" if cut else text
    if max(pads) <= 0:
        return text
    widths = [[max(pads[i], 0), max(pads[rank + i], 0)] for i in range(rank)]
    return f"tf.pad({text}, {widths}{f', constant_values={value}' if value else ''})"


def cropped(start: int, end: int) -> str:
    """Return the text of a slice, such as ``1:-2``, that drops ``start`` and ``end`` elements at the two ends."""
    return f"{max(start, 0) or ''}:{-end if end > 0 else ''}"


def same_pads(
    spatial: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[int, ...]:
    """The pads of TensorFlow's padding SAME (ONNX's SAME_UPPER)."""
    missing = [
        max((-(-size // s) - 1) * s + d * (k - 1) + 1 - size, 0)
        for size, k, s, d in zip(spatial, kernel, strides, dilations, strict=True)
    ]
    return (*(m // 2 for m in missing), *(m - m // 2 for m in missing))


def subsampled(text: str, strides: Sequence[int]) -> str:
    """TensorFlow, channels last: only the windows at multiples of the strides."""
    steps = {1 + i: f"::{s}" for i, s in enumerate(strides) if s > 1}
    return f"{text}{subscript(len(strides) + 2, steps)}" if steps else text


# --- sums along axes -------------------------------------------------------------------------------------------------


def weighted(x: np.ndarray, matrices: Mapping[int, np.ndarray]) -> np.ndarray:
    """Multiply each listed axis by a matrix ``[result size, size]`` (NaN where infinities take part)."""
    finite = np.isfinite(x)
    if not finite.all():
        used = {axis: (matrix != 0).astype(x.dtype) for axis, matrix in matrices.items()}
        hit = weighted((~finite).astype(x.dtype), used) > 0
        return np.where(hit, np.asarray(np.nan, x.dtype), weighted(np.where(finite, x, 0), matrices))
    for axis, matrix in matrices.items():
        x = np.moveaxis(np.tensordot(x, matrix.astype(x.dtype, copy=False), ([axis], [1])), -1, axis)
    return x


def weighted_errors(e: np.ndarray, matrices: Mapping[int, np.ndarray]) -> np.ndarray:
    """:func:`weighted` of error bounds by magnitudes; an unbounded error only reaches the results it takes part in."""
    sizes = {axis: np.abs(matrix) for axis, matrix in matrices.items()}
    infinite = np.isinf(e)
    if not infinite.any():
        return weighted(e, sizes)
    hit = weighted(infinite.astype(float), sizes) > 0
    return np.where(hit, np.inf, weighted(np.where(infinite, 0.0, e), sizes))


def cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic convolution kernel with the free number ``a``."""
    d, k = distance, np.asarray(a, distance.dtype)
    near = ((k + 2) * d - (k + 3)) * d * d + 1
    far = ((k * d - 5 * k) * d + 8 * k) * d - 4 * k
    return np.where(d <= 1, near, np.where(d < 2, far, 0)).astype(d.dtype)


def pad_array(x: np.ndarray, pads: Sequence[int], value: float) -> np.ndarray:
    """Pad (or, where negative, crop) an array; ``pads`` lists all starts, then all ends, as ONNX does."""
    rank = x.ndim
    crop = tuple(slice(max(-pads[i], 0), x.shape[i] - max(-pads[rank + i], 0)) for i in range(rank))
    widths = [(max(pads[i], 0), max(pads[rank + i], 0)) for i in range(rank)]
    return padded(x[crop], widths, constant_values=np.asarray(value).astype(x.dtype))


def padded(x: np.ndarray, widths: Sequence[tuple[int, int]], **how: Any) -> np.ndarray:
    """np.pad, which does not take an array of rank 0."""
    return np.asarray(np.pad(x, widths, **how)) if x.ndim else x


def conv(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The convolution of data, weights, and perhaps a bias."""
    data, weight = pad_array(x[0], spatial_pads(a["pads"]), 0), x[1]
    groups, kernel = a["group"], weight.shape[2:]
    r = len(kernel)
    views = windows(data, kernel, a["strides"], a["dilations"])
    inner, outer = weight.shape[1], weight.shape[0] // groups
    contract = ([1, *range(2 + r, 2 + 2 * r)], [1, *range(2, 2 + r)])
    parts = [
        np.tensordot(views[:, g * inner : (g + 1) * inner], weight[g * outer : (g + 1) * outer], contract)
        for g in range(groups)
    ]
    out = np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)
    return out + x[2].reshape(-1, *[1] * r) if len(x) > 2 else out
