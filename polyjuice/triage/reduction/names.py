"""Remove inputs that nothing reads, and rename values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polyjuice.ir import Graph, read, renamed
from polyjuice.triage.reduction.pair import Pair, plain_names
from polyjuice.triage.reduction.rebuild import without_inputs


def tidy(pair: Pair) -> Pair:
    """The pair without the inputs that neither side reads."""
    used = {position for graph in pair.graphs for position in _read_inputs(graph)}
    unread = [position for position in range(len(pair.inputs)) if position not in used]
    graphs = [without_inputs(graph, [graph.inputs[position] for position in unread]) for graph in pair.graphs]
    inputs = tuple(array for position, array in enumerate(pair.inputs) if position in used)
    return replace(pair, graphs=tuple(graphs), inputs=inputs)


def _read_inputs(graph: Graph) -> Iterator[int]:
    used = read(graph)
    return (position for position, name in enumerate(graph.inputs) if name in used)


def with_plain_names(pair: Pair) -> Pair:
    """The same pair with conventional names of values (see :func:`plain_names`)."""
    names = list(map(plain_names, pair.graphs))
    choices = tuple(choices.renamed(to) for choices, to in zip(pair.choices, names, strict=True))
    return replace(pair, graphs=tuple(map(renamed, pair.graphs, names)), choices=choices)
