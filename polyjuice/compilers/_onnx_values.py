"""Arrays as values of ONNX Runtime, also of element types that NumPy lacks."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import onnxruntime

Array = tuple[str, "np.ndarray[Any, Any]"]

# ONNX types that NumPy lacks, with their ONNX numbers. Arrays of these types hold bits.
_CODES = {"float8e4m3fn": 17, "float8e5m2": 19, "uint4": 21, "int4": 22}
BITS = {f"tensor({name})": name for name in _CODES}
_QUARTERS = ("uint4", "int4")


def value(dtype: str, array: Any) -> onnxruntime.OrtValue:
    """The runtime reads 4-bit numbers from the start of the memory, two in a byte, whatever the array's size."""
    code = _CODES.get(dtype)
    if code is None:
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    if dtype in _QUARTERS:
        flat = array.reshape(-1) & 15
        held = np.zeros(flat.size + 1, np.uint8)
        held[: flat[::2].size] = flat[::2]
        held[: flat[1::2].size] |= flat[1::2] << 4
        array = held[: flat.size].reshape(array.shape)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(np.array(array, order="C"), code)


def array(value: onnxruntime.OrtValue) -> Array:
    """The inverse of `value`: elements of types that NumPy lacks are read from memory."""
    dtype = BITS.get(value.data_type())
    if dtype is None:
        array = value.numpy()
        return array.dtype.name, array
    shape = tuple(value.shape())
    size = int(np.prod(shape, dtype=np.int64))
    count = -(-size // 2) if dtype in _QUARTERS else size
    held = np.frombuffer(ctypes.string_at(value.data_ptr(), count), np.uint8) if count else np.zeros(0, np.uint8)
    if dtype in _QUARTERS:
        held = np.stack([held & 15, held >> 4], -1).reshape(-1)[:size]
    return dtype, np.array(held).reshape(shape)
