"""Functions on constant arrays: hashes, texts, and storage in ``.npz`` files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from polyjuice.ir import dtypes

BFLOAT16 = "@bfloat16"
"""The suffix on the name of an array whose bfloat16 elements are stored as the uint16 of their bits."""

_BITS = {"bfloat16": np.uint16} | dict.fromkeys(dtypes.NARROW, np.uint8)
"""The element types that NumPy's file format lacks, and the integer types that store their bits."""


def stored_type(dtype: str) -> np.dtype | None:
    """The integer type that stores the bits of an element type; None for types that NumPy's format has."""
    return np.dtype(_BITS[dtype]) if dtype in _BITS else None


def mark(dtype: str) -> str:
    """The suffix on the name of an array whose elements are stored as bits; "" for types that NumPy's format has."""
    return f"@{dtype}" if dtype in _BITS else ""


def array_digest(array: np.ndarray) -> str:
    """A hash of an array's bytes, without its type and shape."""
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def uniform_value(array: np.ndarray) -> bool | int | float | None:
    """The one value of a constant array as a Python number that stands for it exactly; None where there is none.

    Negative zero, NaN and complex numbers give None: a number would lose them on some way.
    """
    if array.size == 0 or array.dtype.kind == "c" or not bool(np.all(array == array.reshape(-1)[0])):
        return None
    first = array.reshape(-1)[0]
    if first == 0 and array.dtype.kind not in "iub" and bool(np.any(np.signbit(array))):
        return None
    if dtypes.is_int(dtypes.dtype_of(array)):
        return int(first)
    return bool(first) if array.dtype.kind == "b" else float(first)


def array_text(array: np.ndarray) -> str:
    """An array as nested lists on one line, shortened where it is long; the value itself for a single element."""
    if array.size and np.all(array == array.flat[0]) and array.size > 1:
        return f"{array.flat[0]!s} (all)"
    return np.array2string(array, separator=", ", threshold=40, precision=17).replace("\n", "")


def packed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays by name as an ``.npz`` file holds them: NumPy's format lacks the types of ml_dtypes."""
    stored = {}
    for name, array in arrays.items():
        dtype = dtypes.dtype_of(array)
        stored[name + mark(dtype)] = array.view(_BITS[dtype]) if dtype in _BITS else array
    return stored


def unpacked(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inverse of :func:`packed`."""
    arrays = {}
    for key, array in stored.items():
        name, marked, dtype = key.rpartition("@")
        if marked and dtype in _BITS:
            arrays[name] = array.view(dtypes.to_numpy(dtype))
        else:
            arrays[key] = array
    return arrays
