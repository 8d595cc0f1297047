"""Fewer axes: remove a leading axis of size 1 from inputs and constants, and adapt attributes that number axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from polyjuice.ir import GraphError, Node
from polyjuice.triage.reduction.edits import Edit
from polyjuice.triage.reduction.leaves import Leaf, array_of, leaves, with_leaves
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.trial import Trial

_AXES = ("axis", "axes", "perm")
"""Attributes that number axes; negative numbers count from the end."""


def fewer_axes(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Remove the first axis of all leaves of at least some rank, from the highest rank down; then of single leaves."""
    arrays = leaves(pair)
    ranks = sorted({array.ndim for array in arrays.values()}, reverse=True)
    for least in ranks:
        if least:
            yield partial(_without_first, chosen=[leaf for leaf, array in arrays.items() if array.ndim >= least])
    for leaf, array in arrays.items():
        if array.ndim:
            yield partial(_without_first, chosen=[leaf])


def _without_first(pair: Pair, chosen: Sequence[Leaf]) -> Iterator[Pair]:
    smaller: dict[Leaf, np.ndarray] = {}
    for leaf in chosen:
        array = array_of(pair, leaf)
        if array is not None:
            if not array.ndim or array.shape[0] != 1:
                return
            smaller[leaf] = array[0]
    for change in (_as_it_is, _one_axis_less):
        with suppress(GraphError):
            yield with_leaves(pair, smaller, [list(map(change, graph.nodes)) for graph in pair.graphs])


def _as_it_is(node: Node) -> Node:
    return node


def _one_axis_less(node: Node) -> Node:
    """The node with axes numbered as if the first axis were gone."""
    attrs = dict(node.attrs)
    for name in _AXES:
        value = attrs.get(name)
        if isinstance(value, int):
            attrs[name] = value - 1 if value > 0 else value
        elif isinstance(value, tuple | list):
            attrs[name] = tuple(axis - 1 if axis > 0 else axis for axis in value if axis or name != "perm")
    for name in ("shape", "repeats"):
        value = attrs.get(name)
        if isinstance(value, tuple | list) and value and value[0] == 1:
            attrs[name] = tuple(value[1:])
    return replace(node, attrs=attrs)
