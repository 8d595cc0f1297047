"""How far two arrays lie apart."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from polyjuice.ir import complexes, dtypes

#: The bounds hold to first order in the unit roundoff, and the float64 reference is itself rounded.
SAFETY = 2.0


class Bounded(Protocol):
    """Reference values and the bounds on how far a correct result lies from them."""

    @property
    def reference(self) -> np.ndarray:
        """The reference values."""

    @property
    def bound(self) -> np.ndarray:
        """The largest distance of a correct result from the reference, for each element."""


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b| in float64; infinite where just one is a NaN or they are different infinities, 0 where both agree.

    For complex numbers it is the modulus of the difference.
    """
    if complexes.is_complex(a) or complexes.is_complex(b):
        return np.asarray(np.hypot(distance(a.real, b.real), distance(a.imag, b.imag)))
    with np.errstate(all="ignore"):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        gap = np.abs(x - y)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if a.dtype.kind in "iu" and b.dtype.kind in "iu":
            same = a == b
            gap = np.where(same, 0.0, np.maximum(gap, 1.0))
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def apart(a: Bounded, b: Bounded) -> np.ndarray:
    """The mask of elements whose reference values differ by more than the sum of their error bounds."""
    allowed = SAFETY * (a.bound + b.bound)
    return np.asarray(np.isfinite(allowed) & (distance(a.reference, b.reference) > allowed))


def as_good_as_equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are equal up to the last places of float64, with infinities and NaN in the same places."""
    if np.array_equal(a, b):
        return True
    gap = distance(a, b)
    with np.errstate(invalid="ignore"):
        size = np.abs(a) if complexes.is_complex(a) else np.abs(np.asarray(a, np.float64))
        near = gap <= 4 * dtypes.unit_roundoff("float64") * size
    return bool(np.all((gap == 0) | near & np.isfinite(gap)))
