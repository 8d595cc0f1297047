"""Edits of graphs and pairs; passes that leave fewer outputs, inputs and operators on all sides together."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import (
    Graph,
    GraphError,
    Node,
    TensorType,
    array_digest,
    complexes,
    dtypes,
    prune,
    read,
    renamed,
    with_outputs,
)
from polyjuice.ops import check, entry, infer_node, primitives
from polyjuice.triage.reduction.trial import Pair, Trial


def rebuild(
    graph: Graph,
    *,
    inputs: Mapping[str, TensorType] = MappingProxyType({}),
    constants: Mapping[str, np.ndarray] = MappingProxyType({}),
    nodes: Sequence[Node] | None = None,
    outputs: Sequence[str] | None = None,
) -> Graph:
    """The graph with other types of some inputs, other or additional constants, other nodes or other outputs.

    This infers the types of all results, and removes everything that no output needs except inputs. Raises GraphError
    where the graph is not well typed, or an opaque node's operands have changed.
    """
    arrays = {**graph.constants, **constants}
    types = {name: inputs.get(name, graph.types[name]) for name in graph.inputs}
    types.update({name: TensorType(dtypes.dtype_of(array), array.shape) for name, array in arrays.items()})
    for node in graph.nodes if nodes is None else nodes:
        if node.opaque:
            if any(types[name] != graph.types.get(name) for name in node.inputs if name):
                raise GraphError(f"node {node}: an opaque operator's result types were declared for other operands")
            types.update({name: graph.types[name] for name in node.outputs if name})
            continue
        if any(name and name not in types for name in node.inputs):
            raise GraphError(f"node {node}: an operand is not defined before it")
        results = infer_node(node, types)
        if len(results) != len(node.outputs):
            raise GraphError(f"node {node}: the operator has {len(results)} outputs")
        types.update({name: t for name, t in zip(node.outputs, results, strict=True) if name})
    built = replace(
        graph,
        constants=arrays,
        types=types,
        nodes=graph.nodes if nodes is None else tuple(nodes),
        outputs=graph.outputs if outputs is None else tuple(outputs),
    )
    return check(prune(built))


def substitute(graph: Graph, values: Mapping[str, str]) -> Graph:
    """The graph with some values replaced by others of the same types. Raises GraphError on a cycle."""
    nodes = [replace(node, inputs=tuple(values.get(name, name) for name in node.inputs)) for node in graph.nodes]
    outputs = [values.get(name, name) for name in graph.outputs]
    return rebuild(graph, nodes=in_order(nodes, (*graph.inputs, *graph.constants)), outputs=outputs)


def in_order(nodes: Sequence[Node], available: Sequence[str]) -> list[Node]:
    """The nodes in a topological order, unchanged where they are in order already. Raises GraphError on a cycle."""
    defined, left, ordered = {"", *available}, list(nodes), []
    while left:
        ready = next((n for n, node in enumerate(left) if defined.issuperset(node.inputs)), None)
        if ready is None:
            raise GraphError(f"node {left[0]}: it would depend on itself")
        node = left.pop(ready)
        defined.update(node.outputs)
        ordered.append(node)
    return ordered


def with_input(graph: Graph, name: str, t: TensorType) -> Graph:
    """The graph with an additional input that nothing reads."""
    return replace(graph, inputs=(*graph.inputs, name), types={**graph.types, name: t})


def without_inputs(graph: Graph, names: Sequence[str]) -> Graph:
    """The graph without some inputs that nothing reads."""
    types = {name: t for name, t in graph.types.items() if name not in names}
    return replace(graph, inputs=tuple(name for name in graph.inputs if name not in names), types=types)


def cone(graph: Graph, name: str) -> frozenset[int]:
    """The indices of the nodes on which a value depends."""
    needed, numbers = {name}, []
    for number in range(len(graph.nodes) - 1, -1, -1):
        node = graph.nodes[number]
        if needed.intersection(filter(None, node.outputs)):
            numbers.append(number)
            needed.update(filter(None, node.inputs))
    return frozenset(numbers)


# --- leaves: inputs and constants; a leaf that both sides share changes on both ---------------------------------------

Leaf = tuple[tuple[int, str], ...]
"""The names of one input, or of equal constants, each with the index of the graph that has this name."""


def leaves(pair: Pair) -> dict[Leaf, np.ndarray]:
    """The pair's inputs and constants with their values."""
    found: dict[Leaf, np.ndarray] = {}
    for position, array in enumerate(pair.inputs):
        found[tuple((side, graph.inputs[position]) for side, graph in enumerate(pair.graphs))] = array
    constants: dict[tuple[TensorType, str], list[tuple[int, str]]] = {}
    for side, graph in enumerate(pair.graphs):
        for name, array in graph.constants.items():
            constants.setdefault((graph.types[name], array_digest(array)), []).append((side, name))
    found.update({tuple(names): pair.graphs[names[0][0]].constants[names[0][1]] for names in constants.values()})
    return found


def array_of(pair: Pair, leaf: Leaf) -> np.ndarray | None:
    """The value of a leaf; None where earlier edits have removed it."""
    for side, name in leaf:
        graph = pair.graphs[side]
        if name in graph.constants:
            return graph.constants[name]
        if name in graph.inputs:
            return pair.inputs[graph.inputs.index(name)]
    return None


def with_leaves(pair: Pair, arrays: Mapping[Leaf, np.ndarray], nodes: Sequence[Sequence[Node]] = ()) -> Pair:
    """The pair with other nodes, and other values of some leaves, perhaps of other types. Raises GraphError."""
    values = {place: array for leaf, array in arrays.items() for place in leaf}
    graphs, inputs = [], pair.inputs
    for side, graph in enumerate(pair.graphs):
        new = {name: array for (number, name), array in values.items() if number == side}
        graphs.append(
            rebuild(
                graph,
                inputs={
                    name: TensorType(dtypes.dtype_of(a), a.shape) for name, a in new.items() if name in graph.inputs
                },
                constants={name: array for name, array in new.items() if name in graph.constants},
                nodes=nodes[side] if nodes else None,
            )
        )
        inputs = tuple(new.get(name, array) for name, array in zip(graph.inputs, inputs, strict=True))
    return replace(pair, graphs=tuple(graphs), inputs=inputs)


# --- equal values of the graphs: equal in the interpreter, on all tested sets of inputs -------------------------------

#: The significant digits of floating-point values to compare, because the two sides may round differently.
_DIGITS = 9


@dataclass(frozen=True, eq=False, kw_only=True)
class Shared:
    """Equal values of one type: for each graph, its names for the value in order of computation.

    ``array`` is the value on the pair's own inputs, in its own type. ``fixed`` means that the value is the same on all
    other inputs too.
    """

    type: TensorType
    names: tuple[tuple[str, ...], ...]
    array: np.ndarray
    fixed: bool

    @property
    def everywhere(self) -> bool:
        """Whether all graphs have the value."""
        return all(self.names)


def shared_values(pair: Pair, others: Sequence[Sequence[np.ndarray]]) -> list[Shared]:
    """All values of a pair, grouped by equality; ``others`` are further sets of inputs.

    The order is that of the graphs' computation. Raises EvaluationError.
    """
    found: dict[tuple[TensorType, tuple[str, ...]], list[list[str]]] = {}
    arrays: dict[tuple[TensorType, tuple[str, ...]], np.ndarray] = {}
    for number, graph in enumerate(pair.graphs):
        own = traced(graph, pair.inputs)
        wide = [traced(graph, inputs, "float64") for inputs in (pair.inputs, *others)]
        for name in own:
            key = graph.types[name], tuple(fingerprint(values[name]) for values in wide)
            found.setdefault(key, [[] for _ in pair.graphs])[number].append(name)
            arrays.setdefault(key, own[name])
    return [
        Shared(
            type=key[0], names=tuple(map(tuple, names)), array=arrays[key], fixed=bool(others) and len(set(key[1])) == 1
        )
        for key, names in found.items()
    ]


def traced(graph: Graph, inputs: Sequence[np.ndarray], precision: str | None = None) -> dict[str, np.ndarray]:
    """Every value of a graph by its name. Raises EvaluationError."""
    values = dict(zip(graph.inputs, inputs, strict=True)) | dict(graph.constants)

    def keep(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        values.update((name, array) for name, array in zip(node.outputs, results, strict=True) if name)

    evaluate(graph, inputs, precision, [keep])
    return values


def fingerprint(array: np.ndarray) -> str:
    """A hash that is equal for arrays that differ only in their last digits."""
    if complexes.is_complex(array):
        return " ".join(map(fingerprint, complexes.parts(array)))
    if array.dtype.kind in "iub":
        rounded = array
    else:
        wide = array.astype(np.float64)
        scale = float(np.max(np.abs(wide[np.isfinite(wide)]), initial=0.0)) or 1.0
        with np.errstate(all="ignore"):
            rounded = np.round(wide / scale, _DIGITS) + 0.0
            rounded = np.append(rounded.ravel(), float(f"{scale:.{_DIGITS}g}"))
    return hashlib.sha256(np.ascontiguousarray(rounded).tobytes()).hexdigest()


def depths(graph: Graph) -> Mapping[str, int]:
    """The number of nodes on which each value depends."""
    found = dict.fromkeys([*graph.inputs, *graph.constants], 0)
    for node in graph.nodes:
        size = len(cone(graph, next(filter(None, node.outputs))))
        found.update((name, size) for name in node.outputs if name)
    return found


def in_type(array: np.ndarray, t: TensorType) -> np.ndarray:
    """An interpreted value as an array of its declared type."""
    return np.ascontiguousarray(array).astype(dtypes.to_numpy(t.dtype)).reshape(t.shape)


# --- what edits have in common ----------------------------------------------------------------------------------------

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
    """All values of a pair, grouped by equality; none where the graphs have no values on these inputs.

    For a user's program these are the tensors of its uncompiled run.
    """
    if trial.split:
        known, (graph,) = trial.split.values, pair.graphs
        there = [name for name in graph.types if name in known]
        return [Shared(type=graph.types[n], names=((n,),), array=known[n], fixed=False) for n in there]
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


def with_nodes(pair: Pair, change: Callable[[int, Node], Node]) -> Pair:
    """The pair with other nodes: ``change`` gets the index of a node's graph, and the node. Raises GraphError."""
    graphs = enumerate(pair.graphs)
    return pair.with_graphs([rebuild(g, nodes=[change(side, node) for node in g.nodes]) for side, g in graphs])


def tidy(pair: Pair) -> Pair:
    """The pair without the inputs that neither side reads."""
    reads = list(map(read, pair.graphs))
    places = range(len(pair.inputs))
    used = {n for n in places if any(g.inputs[n] in names for g, names in zip(pair.graphs, reads, strict=True))}
    graphs = [without_inputs(graph, [graph.inputs[n] for n in places if n not in used]) for graph in pair.graphs]
    return replace(pair, graphs=tuple(graphs), inputs=tuple(pair.inputs[n] for n in places if n in used))


def with_constant(graph: Graph, names: Sequence[str], new: str, array: np.ndarray) -> Graph:
    """The graph with a new constant instead of some values."""
    types = {**graph.types, new: graph.types[names[0]]}
    return substitute(replace(graph, constants={**graph.constants, new: array}, types=types), dict.fromkeys(names, new))


def with_name(graph: Graph, old: str, new: str) -> Graph:
    """The graph with another name for a value, unless a value has that name."""
    return graph if new in graph.types else renamed(graph, {**{name: name for name in ("", *graph.types)}, old: new})


def unused(pair: Pair, stem: str) -> str:
    """A name that no graph has."""
    taken = {name for graph in pair.graphs for name in graph.types}
    return next(name for number in range(len(taken) + 1) if (name := f"{stem}{number}") not in taken)


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
    if name in pair.graphs[0].outputs:
        number = pair.graphs[0].outputs.index(name)
        yield replace(pair, graphs=tuple(rebuild(with_outputs(g, [number])) for g in pair.graphs), output=0)


def _without_output(pair: Pair, name: str) -> Iterator[Pair]:
    declared = pair.graphs[0].outputs
    kept = [k for k, other in enumerate(declared) if k == pair.output or other != name]
    graphs = tuple(rebuild(with_outputs(graph, kept)) for graph in pair.graphs)
    yield replace(pair, graphs=graphs, output=kept.index(pair.output))


def _without_update(pair: Pair, place: int) -> Iterator[Pair]:
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
        makers = [node for node in pair.graphs[0].nodes if value.names[0][0] in node.outputs]
        results = [name for node in makers for name in node.outputs if name]
        if len(results) > 1 and all(name in of for name in results):
            yield partial(cut, values=[of[name] for name in results])


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
            if "equation" in node.attrs:
                for operands in permutations(dict.fromkeys(node.inputs), 2):
                    yield partial(_product, outputs=node.outputs, operands=operands)


def _product(pair: Pair, outputs: tuple[str, ...], operands: tuple[str, ...]) -> Iterator[Pair]:
    def product(_: int, node: Node) -> Node:
        return replace(node, op=primitives.MATMUL, inputs=operands, attrs={}) if node.outputs == outputs else node

    if all(name in pair.graphs[0].types for name in operands):
        yield with_nodes(pair, product)


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
    def shorter(side: int, node: Node) -> Node:
        op = entry(node)
        if side not in sides or not op or op.fixed_arity or (node.qualified, len(node.inputs)) != (name, count):
            return node
        return replace(node, inputs=node.inputs[:position] + node.inputs[position + 1 :])

    yield with_nodes(pair, shorter)
