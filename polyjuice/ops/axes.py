"""Attributes that count axes, from the front or (negative) from the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polyjuice.ir import Attrs

NAMES = frozenset(["axis", "axes", "dim", "dims", "dim1", "dim2", "source", "destination"])
"""The attributes that count axes."""

#: Operators whose axes are those of the result.
_OF_RESULT = frozenset(["Unsqueeze", "OneHot", "stack", "diag_embed"])


def from_the_front(op: str, attrs: Attrs, rank: int, result_rank: int) -> dict[str, Any]:
    """The attributes of an operator with all axes counted from the front.

    ``rank`` and ``result_rank`` are the ranks of the first operand and the first result.
    """
    rank = result_rank if op in _OF_RESULT else rank
    return _changed(attrs, lambda axis: axis + rank if axis < 0 else axis)


def from_the_end(op: str, attrs: Attrs, rank: int, result_rank: int) -> dict[str, Any]:
    """The attributes with all axes counted from the end, except Flatten's axis behind the last."""
    rank = result_rank if op in _OF_RESULT else rank
    return _changed(attrs, lambda axis: axis - rank if 0 <= axis < rank else axis)


def _changed(attrs: Attrs, change: Callable[[int], int]) -> dict[str, Any]:
    changed = dict(attrs)
    for name in NAMES & attrs.keys():
        value = attrs[name]
        changed[name] = change(value) if isinstance(value, int) else value and tuple(map(change, value))
    return changed
