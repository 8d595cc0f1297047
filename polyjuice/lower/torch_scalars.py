"""Which casts of operands Torch does by itself, beside tensors and beside tensors of rank 0.

A tensor of rank 0 decides, as a Python number does, the kind of a result (truth values, integers, floating numbers) and
not its width: ``x + z`` of int8 and a ``z`` of int64 is int8, and of float32 it is float32.
"""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.ir import TensorType, dtypes

PROMOTIONS: Mapping[str, tuple[str, ...]] = {
    "bool": tuple(t for t in dtypes.NUMERIC if t not in dtypes.WIDER_UNSIGNED),
    **dict.fromkeys(dtypes.WIDER_UNSIGNED, dtypes.FLOATS),
    "uint8": ("int16", "int32", "int64", *dtypes.FLOATS),
    "int8": ("int16", "int32", "int64", *dtypes.FLOATS),
    "int16": ("int32", "int64", *dtypes.FLOATS),
    "int32": ("int64", *dtypes.FLOATS),
    "int64": dtypes.FLOATS,
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
}
"""The types that a meeting with each type leaves as they are, between tensors of one rank, if that is 0 or not.

Torch has no promotion between the wider unsigned types and other integers.
"""

_KINDS = (("bool",), dtypes.INTS, dtypes.FLOATS)

_SMALL = ("bool", "int8", "uint8")
"""Types whose values half types hold."""


def promoted(cast: TensorType, other: TensorType) -> bool:
    """Whether operators that meet these two compute in the type of the second, as if the first were cast to it.

    Where a half type would round the value of a tensor of rank 0, Torch may compute with it unrounded: so that is left
    out. Torch promotes no floating types of 8 bits.
    """
    if cast.dtype == other.dtype or not {cast.dtype, other.dtype}.isdisjoint(dtypes.NARROW):
        return False
    if bool(cast.rank) == bool(other.rank):
        return other.dtype in PROMOTIONS.get(cast.dtype, ())
    kind, against = (next(i for i, kind in enumerate(_KINDS) if t.dtype in kind) for t in (cast, other))
    if cast.rank:
        return kind < against and not (kind == 0 and other.dtype in dtypes.WIDER_UNSIGNED)
    if against < 2:
        return kind <= against
    if kind == 2:
        return other.dtype in PROMOTIONS.get(cast.dtype, ())
    return other.dtype in ("float32", "float64") or cast.dtype in _SMALL
