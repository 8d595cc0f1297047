"""Pieces of Python text that several families of operators share."""

from __future__ import annotations

import math
from collections.abc import Mapping

from polyjuice.ir import dtypes
from polyjuice.ops.shapes import normalize_axis


def literal(value: float, dtype: str) -> str:
    """Return the Python text of a number of an element type: a bool, an int or a float."""
    if dtype == "bool":
        return str(bool(value))
    if dtypes.is_int(dtype):
        return str(int(value))
    return repr(float(value)) if math.isfinite(value) else f'float("{value}")'


def subscript(rank: int, entries: Mapping[int, str]) -> str:
    """An index expression with entries for some axes, and ``:`` for the others: ``[:, 1:3]``."""
    entries = {normalize_axis(axis, rank): entry for axis, entry in entries.items()}
    last = max(entries, default=-1)
    return f"[{', '.join(entries.get(axis, ':') for axis in range(last + 1))}]" if last >= 0 and rank else "[...]"
