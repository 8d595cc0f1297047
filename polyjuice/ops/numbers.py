"""Python numbers beside tensors: Torch's rule of promotion, and the number as an element of the promoted type.

A number is stored as Python writes it (``2``, ``2.0``, ``1e300``, ``-inf``): the text has its kind, and all digits.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from polyjuice.ir import dtypes
from polyjuice.ops.inference import TypeMismatch
from polyjuice.ops.text import written

Number = int | float

INTEGERS, FLOATING = "int64", "float32"
"""The types of Python's integers and floating numbers beside a tensor of a lesser kind: Torch's defaults."""

_LEAST, _GREATEST = -(2**63), 2**63 - 1
"""The integers that Torch takes as numbers."""


@lru_cache(1 << 12)
def parse(text: str) -> Number:
    """The number of a text. Raises TypeMismatch where it is no number that Torch takes."""
    try:
        whole = int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise TypeMismatch(f"{text!r} is no number") from None
    if not _LEAST <= whole <= _GREATEST:
        raise TypeMismatch(f"{text} does not fit into 64 bits")
    return whole


def text(number: Number) -> str:
    return repr(number)


def python(text: str) -> str:
    """The expression for a number, which needs no parentheses as an argument."""
    return repr(written(parse(text)))


def promoted(dtype: str, number: Number) -> str:
    """The element type to which a tensor is promoted beside a Python number."""
    if isinstance(number, float):
        return dtype if dtypes.is_float(dtype) else FLOATING
    return INTEGERS if dtype == "bool" else dtype


def in_range(number: Number, dtype: str) -> bool:
    """Whether a number lies within the range of a type, in which it may still be rounded."""
    if dtypes.is_float(dtype):
        return not math.isfinite(number) or abs(number) < dtypes.overflow_threshold(dtype)
    low, high = dtypes.exact_integers(dtype)
    return math.isfinite(number) and low <= number <= high


def boundaries(dtype: str) -> list[int]:
    """The boundary integers of a type that Torch takes as numbers; for uint64, only those below 2^63."""
    return [n for n in dtypes.boundary_integers(dtype) if _LEAST <= n <= _GREATEST]


def vanishes(number: Number, dtype: str) -> bool:
    """Whether a number other than zero is zero in a floating type."""
    return number != 0 and _rounded(number, dtype) == 0


def single(number: Number) -> bool:
    """Whether a number is floating, finite in float32, and not rounded to zero there."""
    fits = isinstance(number, float) and math.isfinite(number) and in_range(number, FLOATING)
    return fits and not vanishes(number, FLOATING)


def held(number: Number, dtype: str) -> bool:
    """Whether a tensor keeps its type beside a number, and the type holds that number exactly."""
    if dtype == "bool" or promoted(dtype, number) != dtype:
        return False
    if not dtypes.is_float(dtype):
        return in_range(number, dtype)
    return not math.isnan(number) and not _is_negative_zero(number) and _rounded(number, dtype) == number


def distance(number: Number, dtype: str) -> float:
    """The distance of a number from its value in a floating type; infinite where the type has none so large."""
    if not math.isfinite(number):
        return 0.0
    if vanishes(number, dtype):
        return dtypes.smallest_normal(dtype)
    return abs(_rounded(number, dtype) - float(number))


def element(number: Number, dtype: str) -> np.ndarray:
    """A number as an array of rank 0: rounded in a floating type, wrapped around in an integer type."""
    if dtypes.is_float(dtype):
        return np.asarray(_rounded(number, dtype)).astype(dtypes.to_numpy(dtype))
    if dtype in dtypes.NARROW_FLOATS:
        return np.asarray(number, np.float64).astype(dtypes.to_numpy(dtype))
    return np.asarray(int(number) & (2**64 - 1), np.uint64).astype(dtypes.to_numpy(dtype))


def _rounded(number: Number, dtype: str) -> float:
    with np.errstate(over="ignore"):
        return float(np.asarray(float(number)).astype(dtypes.to_numpy(dtype)))


def _is_negative_zero(number: Number) -> bool:
    return number == 0 and math.copysign(1.0, number) < 0
