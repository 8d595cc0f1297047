"""Pieces of Python text that several families of operators share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeVar

from polyjuice.ir import dtypes
from polyjuice.ops.shapes import normalize_axis

T = TypeVar("T")


def literal(value: float, dtype: str) -> str:
    """Return the Python text of a number of an element type: a bool, an int or a float."""
    if dtype == "bool":
        return str(bool(value))
    if dtypes.is_int(dtype):
        return str(int(value))
    return repr(written(float(value)))


class _NotFinite(float):
    """An infinity or NaN whose text is a Python expression."""

    def __repr__(self) -> str:
        return f'float("{float(self)}")'

    __str__ = __repr__


def written(value: T) -> T | _NotFinite:
    """Return the value of an attribute, whose text in a program is an expression: ``inf`` alone would be a name."""
    return _NotFinite(value) if isinstance(value, float) and not math.isfinite(value) else value


def subscript(rank: int, entries: Mapping[int, str]) -> str:
    """An index expression with entries for some axes, and ``:`` for the others: ``[:, 1:3]``."""
    entries = {normalize_axis(axis, rank): entry for axis, entry in entries.items()}
    last = max(entries, default=-1)
    return f"[{', '.join(entries.get(axis, ':') for axis in range(last + 1))}]" if last >= 0 and rank else "[...]"
