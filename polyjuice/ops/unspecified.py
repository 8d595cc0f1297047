"""Rules for the field ``unsettled`` of entries: on which operands correct compilers may give different results."""

from __future__ import annotations

import numpy as np

from polyjuice.ir import dtypes
from polyjuice.ops.spec import UnsettledContext, UnsettledFn


def root(place: int) -> UnsettledFn:
    """The root of -inf or -0.0, in programs that we generated for a framework that defines it.

    The program may say ``x ** 0.5``, which is inf and 0.0 by IEEE 754, while ``sqrt`` gives NaN and -0.0. Torch's own
    kernel takes the root there, and a compiler may do either.
    """

    def rule(one: UnsettledContext) -> bool:
        x = one.x[place]
        return one.ours and one.defined and bool(((x == -np.inf) | ((x == 0) & np.signbit(x))).any())

    return rule


def sign_of_nan(place: int) -> UnsettledFn:
    """The sign, or the bits, of NaN, which IEEE 754 leaves open."""
    return lambda one: one.ours and bool(np.isnan(one.x[place]).any())


def running_mean(one: UnsettledContext) -> bool:
    """The mean of infinities or NaN beside their variance.

    Torch's own kernel updates a mean element by element, and gives NaN behind an infinity. A sum gives the infinity.
    """
    return one.ours and one.needed[1] and not np.isfinite(one.x[0]).all()


def interpolation(one: UnsettledContext) -> bool:
    """Interpolated infinities or NaN, where a neighbour of weight 0 may give NaN.

    Outside Torch, the nearest neighbour by a factor is open, too. Its place is a quotient in single precision, and
    rounding may carry it over the next integer.
    """
    if one.attrs.get("mode") == "nearest":
        return one.ours and not one.defined and bool(one.attrs.get("scales"))
    return one.ours and not all(np.isfinite(x).all() for x in one.x)


def cast(one: UnsettledContext) -> bool:
    """A number that is cast to an integer type that does not hold it, which C++ leaves undefined."""
    if not dtypes.is_int(one.attrs["to"]):
        return False
    low, high = dtypes.exact_integers(one.attrs["to"])
    return not bool(((low <= one.x[0]) & (one.x[0] <= high)).all())


def quantization(one: UnsettledContext) -> bool:
    """A quantization casts, too: a non-finite number if an operand has one, or the scale, the second one, is 0."""
    return not all(np.isfinite(x).all() for x in one.x) or bool((one.x[1] == 0).any())


def dynamic_quantization(one: UnsettledContext) -> bool:
    """The scale here is that of the numbers, which is 0 for zeros."""
    return not (np.isfinite(one.x[0]).all() and one.x[0].any())
