"""What a pass is made of: edits, each of which turns a pair into candidates that may be smaller."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rebuild import substitute
from polyjuice.triage.reduction.trial import Trial
from polyjuice.triage.reduction.values import Shared, depths, shared_values

Edit = Callable[[Pair], Iterable[Pair]]
"""Candidates, in the order in which they are to be tried; none where it does not apply (any more). Raises GraphError.

What an edit refers to it refers to by name: it is made for one pair, and applied to what earlier edits have left of it.
"""

#: Sets of inputs on which values must be equal to be taken for the same: with fewer, small ones are so by chance.
_SETS = 6

T = TypeVar("T")


def halves_first(items: Sequence[T]) -> Iterator[T]:
    """The middle one, then the middles of both halves, and so on: a search by halves that in the end tries all."""
    spans = deque([(0, len(items))])
    while spans:
        start, end = spans.popleft()
        if start < end:
            middle = (start + end) // 2
            yield items[middle]
            spans += [(start, middle), (middle + 1, end)]


def shared(pair: Pair, trial: Trial) -> list[Shared]:
    """All values of a pair, by what they are equal to; none where it has no values."""
    try:
        return shared_values(pair, trial.further(pair, _SETS))
    except EvaluationError:
        return []


def by_depth(pair: Pair, values: Iterable[Shared]) -> list[Shared]:
    """Values from the shallowest to the deepest, without those that no node computes on any side."""
    depth = [depths(graph) for graph in pair.graphs]

    def total(value: Shared) -> int:
        return sum(max(depth[side][name] for name in names) for side, names in enumerate(value.names) if names)

    return sorted((value for value in values if total(value)), key=total)


def on_side(pair: Pair, side: int, graph: Graph) -> Pair:
    """The pair with another graph on one side."""
    return pair.with_graphs([graph if n == side else other for n, other in enumerate(pair.graphs)])


def with_constant(graph: Graph, names: Sequence[str], new: str, array: np.ndarray) -> Graph:
    """The graph with a new constant in the place of some values."""
    types = {**graph.types, new: graph.types[names[0]]}
    return substitute(replace(graph, constants={**graph.constants, new: array}, types=types), dict.fromkeys(names, new))


def unused(pair: Pair, stem: str) -> str:
    """A name that no graph has."""
    taken = {name for graph in pair.graphs for name in graph.types}
    return next(name for number in range(len(taken) + 1) if (name := f"{stem}{number}") not in taken)
