"""Fewer outputs, inputs and operators; and less that one side has and the other has not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

import numpy as np

from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, GraphError, Node, attribute_texts
from polyjuice.ops import entry, infer_node
from polyjuice.triage.reduction.edits import Edit, halves_first
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.rebuild import (
    cone,
    rebuild,
    substitute,
    with_input,
    without_inputs,
)
from polyjuice.triage.reduction.trial import Trial
from polyjuice.triage.reduction.values import Shared, depths, in_type, shared_values

#: Sets of inputs on which values must be equal to be taken for the same: with fewer, small ones are so by chance.
_SETS = 6


#: How many nodes a detour may have.
_DETOUR = 16


def tidy(pair: Pair) -> Pair:
    """Without the inputs that neither side reads."""
    read = {position for graph in pair.graphs for position in _read_inputs(graph)}
    unread = [position for position in range(len(pair.inputs)) if position not in read]
    graphs = [without_inputs(graph, [graph.inputs[position] for position in unread]) for graph in pair.graphs]
    inputs = tuple(array for position, array in enumerate(pair.inputs) if position in read)
    return replace(pair, graphs=tuple(graphs), inputs=inputs)


def _read_inputs(graph: Graph) -> Iterator[int]:
    read = {*graph.outputs, *(name for node in graph.nodes for name in node.inputs)}
    return (position for position, name in enumerate(graph.inputs) if name in read)


def outputs(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Only the output that shows the fault, or only another; or all but one."""
    names = pair.graphs[0].outputs
    for name in dict.fromkeys((names[pair.output], *names)):
        yield partial(_only_output, name=name)
    for name in names:
        yield partial(_without_output, name=name)


def _only_output(pair: Pair, name: str) -> Iterator[Pair]:
    """Outputs are named as in the first graph."""
    if name in pair.graphs[0].outputs:
        number = pair.graphs[0].outputs.index(name)
        yield replace(pair, graphs=tuple(rebuild(g, outputs=[g.outputs[number]]) for g in pair.graphs), output=0)


def _without_output(pair: Pair, name: str) -> Iterator[Pair]:
    declared = pair.graphs[0].outputs
    kept = [k for k, other in enumerate(declared) if k == pair.output or other != name]
    graphs = tuple(rebuild(graph, outputs=[graph.outputs[k] for k in kept]) for graph in pair.graphs)
    yield replace(pair, graphs=graphs, output=kept.index(pair.output))


def earlier_output(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """A value that all sides have, on the way to the output that shows the fault, in that output's place."""
    values = [v for v in _shared(pair, trial) if v.everywhere]
    for value in halves_first(_by_depth(pair, values)):
        yield partial(_with_output, value=value)


def _with_output(pair: Pair, value: Shared) -> Iterator[Pair]:
    for end in (-1, 0):
        graphs = []
        for graph, names in zip(pair.graphs, value.names, strict=True):
            there = [name for name in names if name in graph.types]
            if not there:
                return
            declared = [*graph.outputs]
            declared[pair.output] = there[end]
            graphs.append(rebuild(graph, outputs=declared))
        yield pair.with_graphs(graphs)


def cuts(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """What all sides compute becomes an input, or a constant; the largest part that goes is tried first."""
    values = [v for v in _shared(pair, trial) if v.everywhere]
    of = {name: v for v in values for name in v.names[0]}
    for value in reversed(_by_depth(pair, values)):
        yield partial(_cut, values=[value])
        results = _results_beside(pair.graphs[0], value.names[0][0])
        if len(results) > 1 and all(name in of for name in results):
            yield partial(_cut, values=[of[name] for name in results])


def _results_beside(graph: Graph, name: str) -> Sequence[str]:
    """All results of the node that computes a value."""
    maker = next((node for node in graph.nodes if name in node.outputs), None)
    return [result for result in maker.outputs if result] if maker else []


def _cut(pair: Pair, values: Sequence[Shared]) -> Iterator[Pair]:
    graphs, inputs = list(pair.graphs), list(pair.inputs)
    fixed = list(pair.graphs)
    for number, value in enumerate(values):
        array, new = in_type(value.array, value.type), f"{_unused(pair, 'cut')}_{number}"
        for side, names in enumerate(value.names):
            here = [name for name in names if name in pair.graphs[side].types]
            if not here or set(here).intersection(pair.graphs[side].inputs):
                return
            graphs[side] = substitute(with_input(graphs[side], new, value.type), dict.fromkeys(here, new))
            fixed[side] = _fixed(fixed[side], here, new, array)
        inputs.append(array)
    yield replace(pair, graphs=tuple(graphs), inputs=tuple(inputs))
    yield pair.with_graphs(fixed)


def _fixed(graph: Graph, names: Sequence[str], new: str, array: np.ndarray) -> Graph:
    """The graph with a new constant in the place of some values."""
    types = {**graph.types, new: graph.types[names[0]]}
    return substitute(replace(graph, constants={**graph.constants, new: array}, types=types), dict.fromkeys(names, new))


def merges(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side, an equal value that takes fewer operators."""
    for value in reversed(_by_depth(pair, _shared(pair, trial))):
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
                yield _on_side(pair, side, substitute(graph, values))


def constants(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side, constants in the place of results that do not change with the inputs."""
    values = _shared(pair, trial)
    for side, graph in enumerate(pair.graphs):
        fixed = {name: in_type(v.array, v.type) for v in values if v.fixed for name in v.names[side]}
        for node in reversed(graph.nodes):
            results = [name for name in node.outputs if name]
            if all(name in fixed for name in results):
                yield partial(_fold, values={name: fixed[name] for name in results}, side=side)


def _fold(pair: Pair, values: Mapping[str, np.ndarray], side: int) -> Iterator[Pair]:
    graph = pair.graphs[side]
    for number, (name, array) in enumerate(values.items()):
        if name in graph.types:
            graph = _fixed(graph, [name], f"{_unused(pair, 'folded')}_{number}", array)
    yield _on_side(pair, side, graph)


def one_sided(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side alone, something simpler in the place of a value that makes no difference."""
    if len(pair.graphs) == 1:
        return
    for value in reversed(_by_depth(pair, _shared(pair, trial))):
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
            yield _on_side(pair, side, substitute(graph, {name: other}))
    new = _unused(pair, "cut")
    graphs = [with_input(other, new, t) for other in pair.graphs]
    graphs[side] = substitute(graphs[side], {name: new})
    yield replace(pair, graphs=tuple(graphs), inputs=(*pair.inputs, array))
    yield _on_side(pair, side, _fixed(graph, [name], new, array))


def detours(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side, a node on the way to a value, applied to what comes earlier, in the place of that value.

    A tensor that is split and put together again with something done to each part, for one.
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
    new = _unused(pair, "straight")
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
                        yield _on_side(pair, side, substitute(grown, {name: new}))


def grafts(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """One side's part in the place of the other's, where both compute the same value: the less was rewritten."""
    values = [v for v in _shared(pair, trial) if v.everywhere]
    for value in reversed(_by_depth(pair, values)):
        for source, target in permutations(range(len(pair.graphs)), 2):
            yield partial(_graft, value=value, source=source, target=target)


def _graft(pair: Pair, value: Shared, source: int, target: int) -> Iterator[Pair]:
    giver, taker = pair.graphs[source], pair.graphs[target]
    given = [name for name in value.names[source] if name in giver.types]
    replaced = [name for name in value.names[target] if name in taker.types]
    if not given or not replaced:
        return
    part = cone(giver, given[0])
    names = dict(zip(giver.inputs, taker.inputs, strict=True))
    constants: dict[str, np.ndarray] = {}
    types = dict(taker.types)
    nodes: list[Node] = []

    def local(name: str) -> str:
        if name and name not in names:
            names[name] = f"{_unused(pair, 'graft')}_{len(names)}"
            types[names[name]] = giver.types[name]
            if name in giver.constants:
                constants[names[name]] = giver.constants[name]
        return names.get(name, "")

    for number in sorted(part):
        node = giver.nodes[number]
        operands = tuple(map(local, node.inputs))
        nodes.append(replace(node, inputs=operands, outputs=tuple(map(local, node.outputs))))
    new = local(given[0])
    grown = replace(taker, nodes=(*nodes, *taker.nodes), constants={**taker.constants, **constants}, types=types)
    grafted = substitute(grown, dict.fromkeys(replaced, new))
    yield _on_side(pair, target, _without_duplicates(grafted))
    yield _on_side(pair, target, grafted)


def _without_duplicates(graph: Graph) -> Graph:
    """Equal constants, and nodes that apply the same operator to the same operands, once each."""
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


def bypasses(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On all sides, an operand of a node in the place of its result, of the same type."""
    values = _shared(pair, trial)
    of = {name: v for v in values if v.everywhere for name in v.names[0]}
    graph = pair.graphs[0]
    for node in reversed(graph.nodes):
        for result in node.outputs:
            for operand in dict.fromkeys(node.inputs):
                if result in of and operand in of and of[result].type == of[operand].type:
                    yield partial(_bypass, value=of[result], by=of[operand])


def _bypass(pair: Pair, value: Shared, by: Shared) -> Iterator[Pair]:
    graphs = []
    for graph, names, instead in zip(pair.graphs, value.names, by.names, strict=True):
        there = [name for name in names if name in graph.types]
        new = next((name for name in instead if name in graph.types), None)
        if not there or new is None:
            return
        graphs.append(substitute(graph, dict.fromkeys(there, new)))
    yield pair.with_graphs(graphs)


def fewer_inputs(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """One input in the place of another of its type."""
    for kept, other in combinations(pair.graphs[0].inputs, 2):
        yield partial(_one_input, kept=kept, other=other)


def _one_input(pair: Pair, kept: str, other: str) -> Iterator[Pair]:
    first = pair.graphs[0]
    if kept not in first.inputs or other not in first.inputs or first.types[kept] != first.types[other]:
        return
    i, j = first.inputs.index(kept), first.inputs.index(other)
    yield pair.with_graphs([substitute(graph, {graph.inputs[j]: graph.inputs[i]}) for graph in pair.graphs])


def fewer_operands(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """An operator without one of its operands, on all sides or on one."""
    applied = dict.fromkeys((n.qualified, len(n.inputs)) for graph in pair.graphs for n in graph.nodes)
    sides: list[tuple[int, ...]] = [tuple(range(len(pair.graphs)))]
    sides += [(side,) for side in sides[0]] if len(sides[0]) > 1 else []
    for (name, count), among in ((key, among) for key in applied for among in sides):
        for position in range(count):
            yield partial(_without_operand, name=name, count=count, position=position, sides=among)


def _without_operand(pair: Pair, name: str, count: int, position: int, sides: Sequence[int]) -> Iterator[Pair]:
    def shorter(node: Node) -> Node:
        op = entry(node)
        if op is None or op.fixed_arity or (node.qualified, len(node.inputs)) != (name, count):
            return node
        return replace(node, inputs=node.inputs[:position] + node.inputs[position + 1 :])

    graphs = list(pair.graphs)
    for side in sides:
        graphs[side] = rebuild(graphs[side], nodes=tuple(map(shorter, graphs[side].nodes)))
    if graphs != list(pair.graphs):
        yield pair.with_graphs(graphs)


def _on_side(pair: Pair, side: int, graph: Graph) -> Pair:
    return pair.with_graphs([graph if n == side else other for n, other in enumerate(pair.graphs)])


def _shared(pair: Pair, trial: Trial) -> list[Shared]:
    try:
        return shared_values(pair, trial.further(pair, _SETS))
    except EvaluationError:
        return []


def _by_depth(pair: Pair, values: Iterable[Shared]) -> list[Shared]:
    """Values from the shallowest to the deepest, without those that no node computes on any side."""
    depth = [depths(graph) for graph in pair.graphs]

    def total(value: Shared) -> int:
        return sum(max(depth[side][name] for name in names) for side, names in enumerate(value.names) if names)

    return sorted((value for value in values if total(value)), key=total)


def _unused(pair: Pair, stem: str) -> str:
    """A name that no graph has."""
    taken = {name for graph in pair.graphs for name in graph.types}
    return next(name for number in range(len(taken) + 1) if (name := f"{stem}{number}") not in taken)
