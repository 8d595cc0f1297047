"""Replace one side by a rewriting of the other side, or of a smaller part of it.

Two programs many rewrites apart may share no intermediate value at which to cut both. This pass then cuts out the part
of one that shows the fault, and uses the nearest rewriting of that part as the other side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from polyjuice.egraph import Rewriter, fewest
from polyjuice.ir import Graph, GraphError, TensorType, digest
from polyjuice.ops import Op
from polyjuice.triage.reduction.edits import Edit, by_depth, shared, unused
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rebuild import rebuild, substitute, with_input
from polyjuice.triage.reduction.same_values import in_type
from polyjuice.triage.reduction.trial import Trial

#: Pairs with fewer operators on both sides are small enough; in larger ones other passes have more to remove.
_FEWEST, _MOST = 5, 16

#: How often an operator's replacement is replaced again.
_REPLACEMENTS = 3


def rewritings(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Compare one side, or the part from or up to one of its values, with the rewritings of that part."""
    if len(pair.graphs) != 2 or not _FEWEST <= max(pair.operators) <= _MOST:
        return
    sides = sorted((0, 1), key=lambda side: -pair.operators[side])
    for side in sides:
        yield partial(_rewritten, side=side, trial=trial)
    for value in reversed(by_depth(pair, shared(pair, trial))):
        for side in sides:
            for name in value.names[side]:
                array = in_type(value.array, value.type)
                yield partial(_from, name=name, array=array, side=side, trial=trial)
                yield partial(_up_to, name=name, side=side, trial=trial)


def _from(pair: Pair, name: str, array: np.ndarray, side: int, trial: Trial) -> Iterator[Pair]:
    graph = pair.graphs[side]
    if name in _inner(graph):
        new = unused(pair, "cut")
        part = substitute(with_input(graph, new, graph.types[name]), {name: new})
        yield from _rewritten(replace(pair, graphs=(part, part), inputs=(*pair.inputs, array)), side, trial)


def _up_to(pair: Pair, name: str, side: int, trial: Trial) -> Iterator[Pair]:
    graph = pair.graphs[side]
    if name in _inner(graph):
        part = rebuild(replace(graph, updates={}), outputs=[name])
        yield from _rewritten(replace(pair, graphs=(part, part), output=0), side, trial)


def _inner(graph: Graph) -> set[str]:
    """The values that are neither leaves nor outputs."""
    return graph.types.keys() - {*graph.inputs, *graph.constants, *graph.outputs}


def _rewritten(pair: Pair, side: int, trial: Trial) -> Iterator[Pair]:
    """Yield pairs of a side that is wrong and its smallest rewritings."""
    graph = pair.graphs[side]
    if trial.wrong(pair, side):
        for other in without_an_operator(graph, trial.rewriter):
            yield pair.with_graphs([graph if n == side else other for n in range(2)])


def without_an_operator(graph: Graph, rewriter: Rewriter) -> Iterator[Graph]:
    """Yield the smallest equivalent graphs without one of the operators, and then without its replacement."""
    own = {node.qualified for node in graph.nodes}
    seen: set[str] = set()
    with suppress(GraphError):
        saturated = rewriter.saturate([graph], "rewriting")
        for name in sorted(own):
            refused = {name}
            for _ in range(_REPLACEMENTS):
                other = fewest(saturated, 0, partial(_is_other, frozenset(refused)))
                if other is None:
                    break
                if digest(other) not in seen:
                    seen.add(digest(other))
                    yield other
                refused |= {node.qualified for node in other.nodes} - own


def _is_other(refused: Collection[str], op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    return op.qualified not in refused
