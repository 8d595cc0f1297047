"""Edits, the building blocks of passes: each turns a pair into candidates that may be smaller."""

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
from polyjuice.triage.reduction.same_values import Shared, depths, shared_values
from polyjuice.triage.reduction.trial import Trial

Edit = Callable[[Pair], Iterable[Pair]]
"""Return candidates in the order to try them; none where the edit no longer applies. Raises GraphError.

An edit refers to values by name, so that it survives earlier edits of its pair.
"""

#: How many sets of inputs values must agree on to count as the same: on fewer sets, small values agree by chance.
_SETS = 6

T = TypeVar("T")


def halves_first(items: Sequence[T]) -> Iterator[T]:
    """Yield the middle item, then the middles of both halves, and so on until every item was yielded."""
    spans = deque([(0, len(items))])
    while spans:
        start, end = spans.popleft()
        if start < end:
            middle = (start + end) // 2
            yield items[middle]
            spans += [(start, middle), (middle + 1, end)]


def shared(pair: Pair, trial: Trial) -> list[Shared]:
    """All values of a pair, grouped by equality; none where the graphs have no values on these inputs."""
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
    """The graph with a new constant instead of some values."""
    types = {**graph.types, new: graph.types[names[0]]}
    return substitute(replace(graph, constants={**graph.constants, new: array}, types=types), dict.fromkeys(names, new))


def unused(pair: Pair, stem: str) -> str:
    """A name that no graph has."""
    taken = {name for graph in pair.graphs for name in graph.types}
    return next(name for number in range(len(taken) + 1) if (name := f"{stem}{number}") not in taken)
