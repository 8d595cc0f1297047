"""The normal form of attributes: all explicit, axes counted from the front, shapes concrete.

ONNX has many ways to write the same application. Graphs from foreign files all use one, so that a rule need not know
the others. ``Op.normal`` brings an application into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from polyjuice.ir import TensorType
from polyjuice.ops.shapes import normalize_axis


class NotCovered(Exception):
    """The operator's entry does not cover this use of it; the node stays opaque."""


GivenAttrs = dict[str, Any]
Types = Sequence[TensorType]


def demand(condition: bool, why: str) -> None:
    """Raise NotCovered with a reason unless a condition holds."""
    if not condition:
        raise NotCovered(why)


def along_axis(a: GivenAttrs, x: Types, added: int = 0) -> None:
    """The axis counted from the front, in a tensor with ``added`` dimensions more than the first operand has."""
    a["axis"] = normalize_axis(a["axis"], x[0].rank + added)


def sorted_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    return tuple(sorted({normalize_axis(axis, rank) for axis in axes}))


def reduced(a: GivenAttrs, x: Types) -> None:
    """The axes of a reduction. None are all axes, unless ``noop_with_empty_axes`` says otherwise."""
    if a["axes"] or not a["noop_with_empty_axes"]:
        a["noop_with_empty_axes"] = 0
        a["axes"] = sorted_axes(a["axes"] or range(x[0].rank), x[0].rank)
