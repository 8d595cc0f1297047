"""The tolerance for a compiled result without error bounds: many times the error of the uncompiled result.

The error is measured, not chosen: it is the distance of the uncompiled run from the same program in float64. An element
counts only where that result hardly changes with the inputs. Beside a kink or a jump each side may be right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyjuice.ir import complexes, dtypes
from polyjuice.numerics import distance

#: The tolerance is the sum of two terms. One is this many times the uncompiled result's largest error, the other this
#: many units in the last place of the largest element.
TIMES = 16.0
_ULPS = 64.0

#: How far the inputs are moved to see whether a result is stable, in units in the last place.
_MOVED = 256.0


def moved(inputs: Sequence[np.ndarray], side: float, *, zeros: bool = True) -> tuple[np.ndarray, ...]:
    """Floating inputs in float64, each moved a few units in its last place, always the same way.

    Complex inputs become complex128. Zeros stay as they are unless ``zeros``.
    """
    rng = np.random.default_rng(0)
    arrays = []
    for x in inputs:
        dtype = dtypes.dtype_of(x)
        if not dtypes.is_inexact(dtype):
            arrays.append(x)
            continue
        reach = side * _MOVED * dtypes.unit_roundoff(dtype) * rng.uniform(-1, 1, x.shape)
        wide = x.astype(np.complex128 if dtypes.is_complex(dtype) else np.float64)
        size = np.where(np.isfinite(wide), np.maximum(np.abs(wide), 1.0), 0.0)
        with np.errstate(over="ignore"):  # the largest number of float64 may become infinity
            arrays.append(np.where((wide == 0) & (not zeros), wide, wide + reach * size))
    return tuple(arrays)


def error(plain: np.ndarray, wide: np.ndarray) -> float:
    """The largest error of an uncompiled result."""
    return float(distance(plain, wide).max(initial=0.0))


def tolerance(plain: np.ndarray, wide: np.ndarray, dtype: str) -> float:
    """The allowed error of a result of a floating type; infinite or NaN where nothing is known."""
    return TIMES * error(plain, wide) + _units(wide, dtype)


def least_tolerance(plain: np.ndarray, dtype: str) -> float:
    """The smallest allowed error of a result, whatever float64 gives: 0 for integers and booleans."""
    return _units(plain, dtype) / 2 if dtypes.is_inexact(dtype) else 0.0


def _units(array: np.ndarray, dtype: str) -> float:
    with np.errstate(invalid="ignore"):
        wide = array if complexes.is_complex(array) else np.asarray(array, np.float64)
    largest = float(np.abs(wide[np.isfinite(wide)]).max(initial=0.0))
    return _ULPS * dtypes.unit_roundoff(dtype) * max(largest, 1.0)
