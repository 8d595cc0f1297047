"""Arrays of element types that NumPy lacks, in the types of ml_dtypes; the host holds their bits."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

Array = tuple[str, "np.ndarray[Any, Any]"]

_TYPES = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
}
_NAMES = {np.dtype(dtype): name for name, dtype in _TYPES.items()}


def to_numpy(array: Array) -> np.ndarray[Any, Any]:
    """The same memory as an array of the element type."""
    dtype, values = array
    return values.view(_TYPES[dtype]) if dtype in _TYPES else values


def from_numpy(values: np.ndarray[Any, Any]) -> Array:
    """The inverse of `to_numpy`."""
    name = _NAMES.get(values.dtype)
    if name is None:
        return values.dtype.name, values
    return name, values.view(np.uint16 if name == "bfloat16" else np.uint8)
