"""Edits of one graph; each result has newly inferred types, is checked, and has no dead code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from polyjuice.ir import Graph, GraphError, Node, TensorType, dtypes, prune
from polyjuice.ops import check, infer_node


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
    types.update({name: TensorType(dtypes.of_array(array), array.shape) for name, array in arrays.items()})
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
    return check(_without_unread_results(prune(built)))


def _without_unread_results(graph: Graph) -> Graph:
    """The graph without the types of values that no longer exist."""
    named = {*graph.inputs, *graph.constants, *(name for node in graph.nodes for name in node.outputs)}
    return replace(graph, types={name: t for name, t in graph.types.items() if name in named})


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
