"""The casts of operands that Torch does by itself, next to tensors and next to tensors of rank 0.

Like a Python number, a tensor of rank 0 decides the kind of a result (boolean, integer or floating), but not its width.
For example, ``x + z`` with a ``z`` of rank 0 and type int64 is int8 if ``x`` is int8, and float32 if ``x`` is float32.
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
"""For each type, the types that stay as they are next to it; both tensors have rank 0, or neither has.

Torch has no promotion between the wider unsigned types and other integers.
"""

_KINDS = (("bool",), dtypes.INTS, dtypes.FLOATS)

_SMALL = ("bool", "int8", "uint8")
"""Types whose values half types can represent."""


def promoted(cast: TensorType, other: TensorType) -> bool:
    """Return whether operators on these two compute in the type of ``other``, as if ``cast`` were cast to it.

    A half type would round the value of a tensor of rank 0, and Torch may use it unrounded, so such pairs do not count.
    Torch promotes no 8-bit floating types.
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
