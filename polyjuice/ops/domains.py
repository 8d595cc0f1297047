"""How far operands lie from the domains in which operators are finite (NNSmith, section 3.3, table 1).

A domain is a conjunction of inequalities. A function here returns, by operand, how far each element (in float64) should
move up or down to reach it. See :mod:`polyjuice.inputs.domains` for the losses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from polyjuice.ir import Attrs
from polyjuice.ops import axis_reductions
from polyjuice.ops.linear_adjoints import onto
from polyjuice.ops.spec import DistanceFn

#: How far inside its domain an operand should be, so that it is well-conditioned there.
MARGIN = 0.02

#: The largest exponent of e that a power may reach (the paper's value).
_LARGEST_EXPONENT = 40.0


def within(place: int, low: float = -np.inf, high: float = np.inf) -> DistanceFn:
    def lack(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
        v = x[place]
        return {place: np.maximum(low + MARGIN - v, 0) - np.maximum(v - high + MARGIN, 0)}

    return lack


def _away(v: np.ndarray, pole: np.ndarray | float = 0.0) -> np.ndarray:
    """Return the move from near a pole to the margin around it, on the value's own side."""
    gap = v - pole
    return np.where(np.abs(gap) < MARGIN, np.copysign(MARGIN, gap) - gap, 0.0)


def nonzero(place: int) -> DistanceFn:
    return lambda x, a: {place: _away(x[place])}


divisor = nonzero(1)
"""The second operand divides the first. Integers have no quotient by zero."""


def no_pole(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """Gamma functions have poles at 0, -1, -2, ..."""
    return {0: np.where(x[0] < MARGIN, _away(x[0], np.round(x[0])), 0.0)}


def logit(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """The operand must be between 0 and 1, unless a positive ``eps`` clamps it already."""
    return {} if a["eps"] else within(0, 0.0, 1.0)(x, a)


def power(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """The base must be positive if the exponent is no integer, and not 0 if it is negative. No overflow may occur."""
    base, exponent = np.broadcast_arrays(x[0].astype(np.float64), x[1].astype(np.float64))
    logarithm = np.log(np.maximum(np.abs(base), 1e-30))
    excess = np.maximum(exponent * logarithm - _LARGEST_EXPONENT, 0)
    of_base = -np.sign(base * exponent) * np.minimum(excess, 1.0)
    of_base = np.where(exponent < 0, np.where(excess > 0, _away(base), of_base), of_base)
    of_base = np.where(exponent != np.round(exponent), of_base + np.maximum(MARGIN - base, 0), of_base)
    return {0: onto(x[0].shape, of_base), 1: onto(x[1].shape, -np.sign(logarithm) * np.minimum(excess, 1.0))}


def positive_sum(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """ReduceLogSum: the sums must be positive. The terms share the missing amount."""
    axes = axis_reductions.axes(a, x[0].ndim)
    short = np.maximum(MARGIN - np.sum(x[0], axis=axes, keepdims=True), 0) / axis_reductions.terms(a, x[0].shape)
    return {0: np.broadcast_to(short, x[0].shape)}


def varied(x: Sequence[np.ndarray], a: Attrs) -> Mapping[int, np.ndarray]:
    """No line along some axes may be constant. Its elements move apart, every other one upwards."""
    axes = tuple(axis % x[0].ndim for axis in a["axes"])
    flat = np.var(x[0], axis=axes, keepdims=True) < MARGIN**2
    side = np.where(np.arange(x[0].size) % 2, MARGIN, -MARGIN).reshape(x[0].shape)
    return {0: np.where(flat, side, 0.0)}
