"""Element types: their names (ONNX's, lower case), NumPy representation, and numeric limits."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
WIDER_UNSIGNED = ("uint16", "uint32", "uint64")
UNSIGNED = ("uint8", *WIDER_UNSIGNED)
INTS = SIGNED + UNSIGNED
NUMERIC = FLOATS + INTS
ALL = (*NUMERIC, "bool")
COMPLEX = ("complex64",)
"""Types of pairs of numbers, which only Torch computes with here. No class above has them: they have no order."""

WIDEST_INTS = ("int64", "uint64")
"""Integer types whose largest values float64 does not have."""

NARROW_FLOATS = ("float8e4m3fn", "float8e5m2")
NARROW_INTS = ("int4", "uint4")
NARROW = NARROW_FLOATS + NARROW_INTS
"""Types for storage only: programs cast and move their values, and compute nothing in them."""

STORED = ALL + NARROW
EVERY = STORED + COMPLEX

_PARTS = {"complex64": "float32", "complex128": "float64"}
"""The types of the parts of complex numbers; only reference values have complex128."""

_NUMPY = {name: np.dtype(name) for name in (*ALL, *_PARTS) if name != "bfloat16"}
_NUMPY["bfloat16"] = np.dtype(ml_dtypes.bfloat16)
_NUMPY |= {name: np.dtype(getattr(ml_dtypes, name.replace("float8e", "float8_e"))) for name in NARROW}
_NAMES = {dtype: name for name, dtype in _NUMPY.items()}

_FINFO = {name: ml_dtypes.finfo(_NUMPY[name]) for name in FLOATS}  # type: ignore[no-untyped-call]
_SMALLEST_NORMAL = {name: float(info.smallest_normal) for name, info in _FINFO.items()}
_IINFO = {name: ml_dtypes.iinfo(_NUMPY[name]) for name in INTS + NARROW_INTS}  # type: ignore[no-untyped-call]
_LARGEST = {name: float(info.max) for name, info in _FINFO.items()} | {n: float(i.max) for n, i in _IINFO.items()}
_LARGEST |= {"float8e4m3fn": 448.0, "float8e5m2": 57344.0}
_MANTISSA_BITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53, "float8e4m3fn": 4, "float8e5m2": 3}

_HELD = {"float16": "float32", "bfloat16": "float32"} | dict.fromkeys(NARROW_FLOATS, "float32")
_HELD |= dict.fromkeys(NARROW_INTS, "int8")

_WIDTHS = (7, 8, 15, 16, 24, 31, 32, 63)
"""Powers of two at which integers leave an integer type, or the integers that float32 holds exactly."""


def to_numpy(name: str) -> np.dtype:
    """The NumPy dtype of an element type (from ml_dtypes where NumPy has none)."""
    return _NUMPY[name]


def dtype_of(array: np.ndarray) -> str:
    """The element type of an array. Raises KeyError where the table of types lacks it."""
    return _NAMES[array.dtype]


def computed_in(name: str) -> str:
    """The NumPy type in which the interpreter computes with values of a type, and which holds all of them."""
    return _HELD.get(name, name)


def framework_name(name: str) -> str:
    """The name of an element type in Torch and TensorFlow, such as ``float8_e5m2``."""
    return name.replace("float8e", "float8_e")


def is_float(name: str) -> bool:
    """Whether operators compute in the type and round to it, which is false for the narrow floating types."""
    return name in FLOATS


def holds(name: str, value: float) -> bool:
    """Whether an integer type has a number; other types round what they lack."""
    return name not in _IINFO or bool(value == value and int(_IINFO[name].min) <= value <= int(_IINFO[name].max))


def is_int(name: str) -> bool:
    """Whether the type is an integer type, signed or unsigned."""
    return name in INTS or name in NARROW_INTS


def is_signed(name: str) -> bool:
    """Whether the type has numbers below zero."""
    return name != "bool" and exact_integers(name)[0] < 0


def is_complex(name: str) -> bool:
    """Whether the type is complex."""
    return name in _PARTS


def is_inexact(name: str) -> bool:
    """Whether results are rounded to the type, because it is floating or complex."""
    return name in FLOATS or name in _PARTS


def part_of(name: str) -> str:
    """The type of a complex type's real and imaginary parts; any other type itself."""
    return _PARTS.get(name, name)


def unit_roundoff(name: str) -> float:
    """Half the distance from 1 to the next value of a floating type, or of a part of a complex one; else 0."""
    return 2.0 ** -_MANTISSA_BITS[part_of(name)] if is_inexact(name) else 0.0


def smallest_normal(name: str) -> float:
    """The magnitude below which a compiler may flush a result, or a part of it, to zero; 0 for non-floating types."""
    return _SMALLEST_NORMAL[part_of(name)] if is_inexact(name) else 0.0


def largest_finite(name: str) -> float:
    """The largest value of a numeric type, or of a part of a complex one."""
    return _LARGEST[part_of(name)]


def overflow_threshold(name: str) -> float:
    """The magnitude from which on numbers are rounded to infinity: half a step beyond the largest value."""
    return np.inf if name == "float64" else largest_finite(name) * (1 + unit_roundoff(name) / 2)


@cache
def exact_integers(name: str) -> tuple[int, int]:
    """The inclusive interval in which the type, or a part of a complex type, holds every integer."""
    if part_of(name) in _MANTISSA_BITS:
        limit = 2 ** _MANTISSA_BITS[part_of(name)]
        return -limit, limit
    if name == "bool":
        return 0, 1
    return int(_IINFO[name].min), int(_IINFO[name].max)


def boundary_integers(name: str) -> tuple[int, ...]:
    """Integers of the type near its ends, near the ends of narrower types, and where float32 or 32-bit indices end."""
    low, high = exact_integers(name)
    powers = [2**bits + step for bits in _WIDTHS for step in (-1, 0, 1)]
    inside = {sign * power for power in powers for sign in (1, -1) if low <= sign * power <= high}
    return tuple(sorted(inside | {low, low + 1, high - 1, high}))
