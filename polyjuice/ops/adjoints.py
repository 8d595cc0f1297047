"""Formulas for the vector-Jacobian products of operators that mix elements, for the field ``adjoint`` of entries."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs
from polyjuice.ops import axis_reductions
from polyjuice.ops.linear_adjoints import onto
from polyjuice.ops.spec import AdjointFn, VjpContext

#: Replaces a zero that a formula divides by.
_TINY = 1e-6


def _nonzero(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < _TINY, np.where(x < 0, -_TINY, _TINY), x)


# --- reductions ------------------------------------------------------------------------------------------------------


def reduction(slope: Callable[[np.ndarray, np.ndarray, int], Any]) -> AdjointFn:
    """Return the adjoint of a reduction. ``slope`` takes the operand, the result (axes kept) and a number of terms."""

    def adjoint(a: VjpContext) -> Sequence[np.ndarray]:
        return [_over(a, axis_reductions.axes(a.attrs, a.x[0].ndim), slope)]

    return adjoint


def _over(a: VjpContext, axes: Sequence[int], slope: Callable[[np.ndarray, np.ndarray, int], Any]) -> np.ndarray:
    x = a.x[0]
    kept = [1 if i in axes else n for i, n in enumerate(x.shape)]
    terms = math.prod(x.shape[i] for i in axes)
    return np.asarray(np.broadcast_to(a.c.reshape(kept) * slope(x, a.y.reshape(kept), terms), x.shape))


def over_spatial(slope: Callable[[Attrs], Callable[[np.ndarray, np.ndarray, int], Any]]) -> AdjointFn:
    return lambda a: [_over(a, range(2, a.x[0].ndim), slope(a.attrs))]


def norm_slope(p: float) -> Callable[[np.ndarray, np.ndarray, int], Any]:
    return lambda x, y, n: np.sign(x) * (np.abs(x) / _nonzero(y)) ** (p - 1)


def product_slope(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    """Return the product of the other elements, with tiny numbers instead of zeros."""
    axes = tuple(i for i in range(x.ndim) if y.shape[i] != x.shape[i])
    whole = _nonzero(x)
    return np.asarray(np.prod(whole, axis=axes, keepdims=True) / whole)


def log_sum(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(np.exp(-np.nan_to_num(y, nan=0.0, neginf=0.0)))


# --- along an axis ---------------------------------------------------------------------------------------------------


def softmax(a: VjpContext) -> Sequence[np.ndarray]:
    y, c, axis = a.y, a.c, a.attrs["axis"]
    return [y * (c - np.sum(c * y, axis=axis, keepdims=True))]


def log_softmax(a: VjpContext) -> Sequence[np.ndarray]:
    y, c, axis = a.y, a.c, a.attrs["axis"]
    return [c - np.exp(y) * np.sum(c, axis=axis, keepdims=True)]


def lp_normalization(a: VjpContext) -> Sequence[np.ndarray]:
    x, c, axis, p = a.x[0], a.c, a.attrs["axis"], a.attrs["p"]
    length = _nonzero(np.sum(np.abs(x) ** p, axis=axis, keepdims=True) ** (1 / p))
    along_norm = np.sum(c * x, axis=axis, keepdims=True) / length**2
    return [c / length - along_norm * np.sign(x) * (np.abs(x) / length) ** (p - 1)]


def cumsum(a: VjpContext) -> Sequence[np.ndarray]:
    return [np.asarray(a.numpy([a.c], {**a.attrs, "reverse": 1 - a.attrs["reverse"]}))]


# --- normalisations --------------------------------------------------------------------------------------------------


def _standardised(x: np.ndarray, c: np.ndarray, axes: tuple[int, ...], epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Return y = (x - mean) / sqrt(variance + epsilon), and the cotangent of x. ``c`` is the cotangent of y."""
    centred = x - np.mean(x, axis=axes, keepdims=True)
    scale = 1 / np.sqrt(np.mean(centred**2, axis=axes, keepdims=True) + epsilon + _TINY**2)
    y = centred * scale
    projected = c - np.mean(c, axis=axes, keepdims=True) - y * np.mean(c * y, axis=axes, keepdims=True)
    return y, scale * projected


def normalised(groups: Callable[[VjpContext], Sequence[int]], epsilon: str, channels: bool) -> AdjointFn:
    """Return the adjoint of a standardisation, with a scale and a bias if the node has them.

    ``groups`` returns the shape whose last axis is standardised.
    """

    def adjoint(a: VjpContext) -> Sequence[np.ndarray]:
        x, c, parameters = a.x[0], a.c, a.x[1:]
        lines = (-1, *[1] * (x.ndim - 2)) if channels else None
        placed = [p.reshape(lines) if lines else p for p in parameters]
        shape = tuple(groups(a))
        inner = c * placed[0] if placed else c
        y, of_x = _standardised(x.reshape(shape), inner.reshape(shape), (len(shape) - 1,), a.attrs[epsilon])
        whole = [c * y.reshape(x.shape), c][: len(parameters)]
        rest = [onto(p.shape, w).reshape(q.shape) for p, w, q in zip(placed, whole, parameters, strict=True)]
        return [of_x.reshape(x.shape), *rest]

    return adjoint


def layer_groups(a: VjpContext) -> Sequence[int]:
    x, axis = a.x[0], a.attrs["axis"] % a.x[0].ndim
    return (*x.shape[:axis], math.prod(x.shape[axis:]))


def mean_variance(a: VjpContext) -> Sequence[np.ndarray]:
    axes = tuple(axis % a.x[0].ndim for axis in a.attrs["axes"])
    return [_standardised(a.x[0], a.c, axes, 0.0)[1]]


def lp_slope(a: VjpContext, places: np.ndarray) -> np.ndarray:
    taken = np.where(places >= 0, a.x[0].reshape(-1)[places], 0.0)
    norms = a.y.reshape(*a.y.shape, *[1] * len(a.attrs["kernel_shape"]))
    return np.asarray(norm_slope(a.attrs["p"])(taken, norms, 0))


def det(a: VjpContext) -> Sequence[np.ndarray]:
    x = a.x[0] + _TINY * np.eye(a.x[0].shape[-1])
    factor = (a.c * np.linalg.det(x))[..., None, None]
    return [factor * np.swapaxes(np.linalg.pinv(x), -1, -2)]


# --- others ----------------------------------------------------------------------------------------------------------


def scatter(place: Callable[[VjpContext], np.ndarray]) -> AdjointFn:
    """Return the adjoint of a scatter. ``place`` reads the result's cotangent where each update is written.

    A product or an extreme counts as a sum.
    """

    def adjoint(a: VjpContext) -> Sequence[np.ndarray | None]:
        data, indices, updates = a.x
        kept = a.c
        if a.attrs["reduction"] == "none":
            marks = a.numpy([np.zeros(data.shape), indices, np.ones(updates.shape)], a.attrs)
            kept = np.where(np.asarray(marks) > 0, 0.0, a.c)
        return [kept, None, place(a)]

    return adjoint


def along_elements(a: VjpContext) -> np.ndarray:
    indices, axis = a.x[1], a.attrs["axis"] % a.x[0].ndim
    others = tuple(slice(None) if i == axis else slice(0, n) for i, n in enumerate(indices.shape))
    return np.asarray(np.take_along_axis(a.c[others], indices, axis))


def at_rows(a: VjpContext) -> np.ndarray:
    return np.asarray(a.c[tuple(np.moveaxis(a.x[1], -1, 0))])


def prelu(a: VjpContext) -> Sequence[np.ndarray]:
    (x, slope), c = a.x, a.c
    return [c * np.where(x < 0, slope, 1.0), onto(slope.shape, c * np.minimum(x, 0.0))]


def through(a: VjpContext) -> Sequence[np.ndarray | None]:
    """The first operand passes through, up to rounding."""
    return [a.c]


def _along_channel(p: np.ndarray, rank: int, axis: int) -> np.ndarray:
    return p.reshape([-1 if i == axis % rank else 1 for i in range(rank)]) if p.ndim else p


def quantize(a: VjpContext) -> Sequence[np.ndarray | None]:
    return [a.c / _along_channel(a.x[1], a.x[0].ndim, a.attrs["axis"])]


def dequantize(a: VjpContext) -> Sequence[np.ndarray | None]:
    x, scale = a.x[0], _along_channel(a.x[1], a.x[0].ndim, a.attrs["axis"])
    zero = _along_channel(a.x[2], x.ndim, a.attrs["axis"]).astype(np.float64) if len(a.x) > 2 else 0.0
    return [a.c * scale, onto(scale.shape, a.c * (x - zero)).reshape(a.x[1].shape)]


def grouped(a: VjpContext) -> Sequence[int]:
    return (a.x[0].shape[0], a.attrs["num_groups"], -1)
