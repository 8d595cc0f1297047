"""Formulas for the vector-Jacobian products of operators that mix elements, for the field ``adjoint`` of entries."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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


def product_slope(x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    """Return the product of the other elements, with tiny numbers instead of zeros."""
    axes = tuple(i for i in range(x.ndim) if y.shape[i] != x.shape[i])
    whole = _nonzero(x)
    return np.asarray(np.prod(whole, axis=axes, keepdims=True) / whole)


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


# --- others ----------------------------------------------------------------------------------------------------------


def det(a: VjpContext) -> Sequence[np.ndarray]:
    x = a.x[0] + _TINY * np.eye(a.x[0].shape[-1])
    factor = (a.c * np.linalg.det(x))[..., None, None]
    return [factor * np.swapaxes(np.linalg.pinv(x), -1, -2)]


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
