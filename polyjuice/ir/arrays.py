"""What the project asks of constant arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np

from polyjuice.ir import dtypes

BFLOAT16 = "@bfloat16"
"""What marks the name of an array whose bfloat16 elements are stored as the uint16 of their bits."""


def array_digest(array: np.ndarray) -> str:
    """A hash of an array's bytes (its type and shape are the caller's to add)."""
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def uniform_value(array: np.ndarray) -> bool | int | float | None:
    """The one value of a constant array as a Python number that stands for it exactly; None where there is none.

    Negative zero and NaN are left to the array: a number would lose them on some way. So are complex numbers.
    """
    if array.size == 0 or array.dtype.kind == "c" or not bool(np.all(array == array.reshape(-1)[0])):
        return None
    first = array.reshape(-1)[0]
    if first == 0 and array.dtype.kind not in "iub" and bool(np.any(np.signbit(array))):
        return None
    return first.item() if array.dtype.kind in "iub" else float(first)


def array_text(array: np.ndarray) -> str:
    """An array as nested lists on one line, shortened where it is long; one value, where there is only one."""
    if array.size and np.all(array == array.flat[0]) and array.size > 1:
        return f"{array.flat[0]!s} (all)"
    return np.array2string(array, separator=", ", threshold=40, precision=17).replace("\n", "")


def packed(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays by name as an ``.npz`` file holds them: NumPy's format does not know bfloat16."""
    bfloat16 = dtypes.to_numpy("bfloat16")
    return {
        f"{name}{BFLOAT16}" if array.dtype == bfloat16 else name: (
            array.view(np.uint16) if array.dtype == bfloat16 else array
        )
        for name, array in arrays.items()
    }


def unpacked(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The inverse of :func:`packed`."""
    return {
        name.removesuffix(BFLOAT16): array.view(dtypes.to_numpy("bfloat16")) if name.endswith(BFLOAT16) else array
        for name, array in stored.items()
    }
