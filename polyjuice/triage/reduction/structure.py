"""Fewer outputs, inputs and operators on all sides together, and constants for unchanging values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

import numpy as np

from polyjuice.ir import Graph, Node, with_outputs
from polyjuice.ops import entry
from polyjuice.triage.reduction.edits import (
    Edit,
    Shared,
    by_depth,
    halves_first,
    in_type,
    on_side,
    rebuild,
    shared,
    substitute,
    traced,
    unused,
    with_constant,
    with_input,
    with_name,
)
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.trial import Trial


def first_wrong(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """For one program, keep only the operator whose result is the first wrong one, or all that this result depends on.

    One run with all values as outputs finds it: most kernel faults show this way, and few optimizer faults. Operators
    that the format lacks are decomposed into the format's own. Each part of a single decomposed operator is also tried
    alone.
    """
    if len(pair.graphs) == 1 and not pair.graphs[0].updates:
        yield partial(_first_wrong, trial=trial)


def _first_wrong(pair: Pair, trial: Trial) -> Iterator[Pair]:
    (graph,) = pair.graphs
    decomposed = trial.decomposed(graph)
    for whole in (decomposed, *([graph] if decomposed is not graph else [])):
        name = trial.first_wrong(pair.with_graphs([whole])) if len(whole) > 1 else ""
        if node := next((node for node in whole.nodes if name and name in node.outputs), None):
            yield _alone(pair, whole, node, name)
            yield replace(pair, graphs=(rebuild(whole, outputs=[name]),), output=0)
    if len(graph) == 1 and decomposed is not graph:
        yield from (_alone(pair, decomposed, node, next(filter(None, node.outputs))) for node in decomposed.nodes)


def _alone(pair: Pair, graph: Graph, node: Node, result: str) -> Pair:
    """One operator of a graph, with its operands as inputs."""
    values = traced(graph, pair.inputs)
    part = rebuild(graph, outputs=[result])
    added: list[np.ndarray] = []
    for number, operand in enumerate(dict.fromkeys(filter(None, node.inputs))):
        if operand not in graph.inputs and operand not in graph.constants:
            new = f"{unused(pair, 'cut')}_{number}"
            part = substitute(with_input(part, new, graph.types[operand]), {operand: new})
            added.append(in_type(values[operand], graph.types[operand]))
    return replace(pair, graphs=(part,), inputs=(*pair.inputs, *added), output=0)


def outputs(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Keep only the output that shows the fault, or only another; or remove one output or update."""
    names = pair.graphs[0].outputs
    for name in dict.fromkeys((names[pair.output], *names)):
        yield partial(_only_output, name=name)
    for name in names:
        yield partial(_without_output, name=name)
    for place in pair.graphs[0].updates.values():
        yield partial(_without_update, place=place)


def _only_output(pair: Pair, name: str) -> Iterator[Pair]:
    """Keep the output with this name in the first graph."""
    if name in pair.graphs[0].outputs:
        number = pair.graphs[0].outputs.index(name)
        yield replace(pair, graphs=tuple(rebuild(with_outputs(g, [number])) for g in pair.graphs), output=0)


def _without_output(pair: Pair, name: str) -> Iterator[Pair]:
    declared = pair.graphs[0].outputs
    kept = [k for k, other in enumerate(declared) if k == pair.output or other != name]
    graphs = tuple(rebuild(with_outputs(graph, kept)) for graph in pair.graphs)
    yield replace(pair, graphs=graphs, output=kept.index(pair.output))


def _without_update(pair: Pair, place: int) -> Iterator[Pair]:
    """Return the updated value as a plain output."""
    yield pair.with_graphs(
        [replace(g, updates={name: k for name, k in g.updates.items() if k != place}) for g in pair.graphs]
    )


def earlier_output(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Replace the output that shows the fault by an earlier value that all sides have."""
    values = [v for v in shared(pair, trial) if v.everywhere]
    for value in halves_first(by_depth(pair, values)):
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
    """Turn values that all sides compute into inputs or constants, starting with the largest part to remove."""
    values = [v for v in shared(pair, trial) if v.everywhere]
    of = {name: v for v in values for name in v.names[0]}
    cut = partial(_cut, keep_names=trial.split is not None)
    for value in reversed(by_depth(pair, values)):
        yield partial(cut, values=[value])
        results = _results_beside(pair.graphs[0], value.names[0][0])
        if len(results) > 1 and all(name in of for name in results):
            yield partial(cut, values=[of[name] for name in results])


def _results_beside(graph: Graph, name: str) -> Sequence[str]:
    """All results of the node that computes a value."""
    maker = next((node for node in graph.nodes if name in node.outputs), None)
    return [result for result in maker.outputs if result] if maker else []


def _cut(pair: Pair, values: Sequence[Shared], keep_names: bool) -> Iterator[Pair]:
    """Cut at some values, which keep their names in a user's program."""
    graphs, inputs = list(pair.graphs), list(pair.inputs)
    fixed = list(pair.graphs)
    for number, value in enumerate(values):
        array, new = in_type(value.array, value.type), f"{unused(pair, 'cut')}_{number}"
        for side, names in enumerate(value.names):
            here = [name for name in names if name in pair.graphs[side].types]
            if not here or set(here).intersection(pair.graphs[side].inputs):
                return
            graphs[side] = substitute(with_input(graphs[side], new, value.type), dict.fromkeys(here, new))
            fixed[side] = with_constant(fixed[side], here, new, array)
        inputs.append(array)
        if keep_names:
            graphs, fixed = ([with_name(g, new, value.names[0][0]) for g in group] for group in (graphs, fixed))
    yield replace(pair, graphs=tuple(graphs), inputs=tuple(inputs))
    yield pair.with_graphs(fixed)


def constants(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On one side, replace results that do not depend on the inputs by constants."""
    values = shared(pair, trial)
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
            graph = with_constant(graph, [name], f"{unused(pair, 'folded')}_{number}", array)
    yield on_side(pair, side, graph)


def bypasses(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """On all sides, replace a node's result by an operand of the same type."""
    values = shared(pair, trial)
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


def products(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """In one program, replace an Einsum by the matrix product of two of its operands."""
    if len(pair.graphs) == 1:
        for node in pair.graphs[0].nodes:
            if node.op == "Einsum":
                for operands in permutations(dict.fromkeys(node.inputs), 2):
                    yield partial(_product, outputs=node.outputs, operands=operands)


def _product(pair: Pair, outputs: tuple[str, ...], operands: tuple[str, ...]) -> Iterator[Pair]:
    (graph,) = pair.graphs
    if all(name in graph.types for name in operands):
        nodes = [
            replace(node, op="MatMul", inputs=operands, attrs={}) if node.outputs == outputs else node
            for node in graph.nodes
        ]
        yield pair.with_graphs([rebuild(graph, nodes=nodes)])


def fewer_inputs(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Replace one input by another of the same type."""
    for kept, other in combinations(pair.graphs[0].inputs, 2):
        yield partial(_one_input, kept=kept, other=other)


def _one_input(pair: Pair, kept: str, other: str) -> Iterator[Pair]:
    first = pair.graphs[0]
    if kept not in first.inputs or other not in first.inputs or first.types[kept] != first.types[other]:
        return
    i, j = first.inputs.index(kept), first.inputs.index(other)
    yield pair.with_graphs([substitute(graph, {graph.inputs[j]: graph.inputs[i]}) for graph in pair.graphs])


def fewer_operands(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Remove one operand of an operator, on all sides or on one."""
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
    yield pair.with_graphs(graphs)
