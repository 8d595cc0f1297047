"""Passes that shrink the difference between two graphs, and one that replaces one side by a rewriting of the other.

Two programs many rewrites apart may share no intermediate value at which to cut both. The last pass then cuts out the
part of one that shows the fault. The nearest rewriting of that part becomes the other side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np

from polyjuice.egraph import Rewriter, fewest
from polyjuice.ir import Graph, GraphError, Node, TensorType, attribute_texts, digest
from polyjuice.ops import Op, infer_node
from polyjuice.triage.reduction.edits import (
    Edit,
    Shared,
    by_depth,
    cone,
    depths,
    in_type,
    on_side,
    rebuild,
    shared,
    substitute,
    unused,
    with_constant,
    with_input,
)
from polyjuice.triage.reduction.trial import Pair, Trial

#: The most nodes of a detour.
_DETOUR = 16


def merges(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side, replace a value by an equal one that takes fewer operators."""
    for value in reversed(by_depth(pair, shared(pair, trial))):
        for side, names in enumerate(value.names):
            if names:
                yield partial(_merge, value=value, side=side)


def _merge(pair: Pair, value: Shared, side: int) -> Iterator[Pair]:
    graph = pair.graphs[side]
    depth = depths(graph)
    names = sorted((name for name in value.names[side] if name in depth), key=lambda name: depth[name])
    if len(names) > 1:
        first, others = names[0], names[1:]
        for values in (dict.fromkeys(others, first), *({name: first} for name in others)):
            with suppress(GraphError):
                yield on_side(pair, side, substitute(graph, values))


def one_sided(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side only, replace a value that does not matter by something simpler."""
    if len(pair.graphs) == 1:
        return
    for value in reversed(by_depth(pair, shared(pair, trial))):
        for side, names in enumerate(value.names):
            for name in names:
                yield partial(_without_value, name=name, array=in_type(value.array, value.type), side=side)


def _without_value(pair: Pair, name: str, array: np.ndarray, side: int) -> Iterator[Pair]:
    graph = pair.graphs[side]
    maker = next((node for node in graph.nodes if name in node.outputs), None)
    if maker is None:
        return
    t = graph.types[name]
    for other in dict.fromkeys((*maker.inputs, *graph.inputs, *graph.constants)):
        if other and graph.types[other] == t:
            yield on_side(pair, side, substitute(graph, {name: other}))
    new = unused(pair, "cut")
    graphs = [with_input(other, new, t) for other in pair.graphs]
    graphs[side] = substitute(graphs[side], {name: new})
    yield replace(pair, graphs=tuple(graphs), inputs=(*pair.inputs, array))
    yield on_side(pair, side, with_constant(graph, [name], new, array))


def detours(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side, replace a value by an earlier node of its own computation, applied to an earlier operand.

    An example is a tensor that is split, changed part by part, and joined again.
    """
    for side, graph in enumerate(pair.graphs):
        for node in reversed(graph.nodes):
            results = [name for name in node.outputs if name]
            if len(results) == 1:
                yield partial(_straight, name=results[0], side=side)


def _straight(pair: Pair, name: str, side: int) -> Iterator[Pair]:
    graph = pair.graphs[side]
    if name not in graph.types:
        return
    inside = [graph.nodes[number] for number in sorted(cone(graph, name))[-_DETOUR:]]
    made = [result for node in inside for result in node.outputs if result and result != name]
    new = unused(pair, "straight")
    for node in inside:
        if node.opaque or len(node.outputs) != 1:
            continue
        for place, operand in enumerate(node.inputs):
            for other in (*graph.inputs, *made):
                if other in (operand, node.outputs[0]):
                    continue
                applied = replace(node, inputs=(*node.inputs[:place], other, *node.inputs[place + 1 :]), outputs=(new,))
                with suppress(GraphError):
                    if infer_node(applied, graph.types) == (graph.types[name],):
                        types = {**graph.types, new: graph.types[name]}
                        grown = replace(graph, nodes=(*graph.nodes, applied), types=types)
                        yield on_side(pair, side, substitute(grown, {name: new}))


def grafts(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Copy one side's computation of a shared value to the other side, so that less is rewritten."""
    values = [v for v in shared(pair, trial) if v.everywhere]
    for value in reversed(by_depth(pair, values)):
        for source, target in permutations(range(len(pair.graphs)), 2):
            yield partial(_graft, value=value, source=source, target=target)


def _graft(pair: Pair, value: Shared, source: int, target: int) -> Iterator[Pair]:
    giver, taker = pair.graphs[source], pair.graphs[target]
    sources = [name for name in value.names[source] if name in giver.types]
    replaced = [name for name in value.names[target] if name in taker.types]
    if not sources or not replaced:
        return
    part = cone(giver, sources[0])
    names = dict(zip(giver.inputs, taker.inputs, strict=True))
    constants: dict[str, np.ndarray] = {}
    types = dict(taker.types)
    nodes: list[Node] = []

    def local(name: str) -> str:
        if name and name not in names:
            names[name] = f"{unused(pair, 'graft')}_{len(names)}"
            types[names[name]] = giver.types[name]
            if name in giver.constants:
                constants[names[name]] = giver.constants[name]
        return names.get(name, "")

    for number in sorted(part):
        node = giver.nodes[number]
        operands = tuple(map(local, node.inputs))
        nodes.append(replace(node, inputs=operands, outputs=tuple(map(local, node.outputs))))
    new = local(sources[0])
    grown = replace(taker, nodes=(*nodes, *taker.nodes), constants={**taker.constants, **constants}, types=types)
    grafted = substitute(grown, dict.fromkeys(replaced, new))
    yield on_side(pair, target, _without_duplicates(grafted))
    yield on_side(pair, target, grafted)


def _without_duplicates(graph: Graph) -> Graph:
    """The graph with equal constants, and equal operators on equal operands, merged."""
    seen: dict[tuple[object, ...], tuple[str, ...]] = {}
    same: dict[str, str] = {}
    for name, array in graph.constants.items():
        same[name] = seen.setdefault((graph.types[name], array.tobytes()), (name,))[0]
    nodes: list[Node] = []
    for node in graph.nodes:
        operands = tuple(same.get(name, name) for name in node.inputs)
        key = (node.qualified, tuple(attribute_texts(node.attrs)), node.identity, operands, len(node.outputs))
        first = seen.setdefault(key, node.outputs)
        if first is node.outputs:
            nodes.append(replace(node, inputs=operands))
        else:
            same.update((name, kept) for name, kept in zip(node.outputs, first, strict=True) if name and kept)
    return rebuild(graph, nodes=nodes, outputs=[same.get(name, name) for name in graph.outputs])


# --- rewritings ------------------------------------

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
    return graph.types.keys() - {*graph.inputs, *graph.constants, *graph.outputs}


def _rewritten(pair: Pair, side: int, trial: Trial) -> Iterator[Pair]:
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
