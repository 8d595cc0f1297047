"""Rename the values of graphs, and put several graphs side by side into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from polyjuice.ir.graph import Graph, Node, TensorType


def renamed_node(node: Node, names: Mapping[str, str]) -> Node:
    """The same application of an operator to values with new names (see :func:`renamed`)."""
    return replace(node, inputs=tuple(names[x] for x in node.inputs), outputs=tuple(names[y] for y in node.outputs))


def renamed(graph: Graph, names: Mapping[str, str]) -> Graph:
    """The same graph with new names for its values. ``names`` has each value of the graph, and "" for ""."""
    return replace(
        graph,
        inputs=tuple(names[name] for name in graph.inputs),
        constants={names[name]: array for name, array in graph.constants.items()},
        nodes=tuple(renamed_node(node, names) for node in graph.nodes),
        outputs=tuple(names[name] for name in graph.outputs),
        types={names[name]: t for name, t in graph.types.items()},
        updates={names[name]: place for name, place in graph.updates.items()},
    )


def numbered(graph: Graph, number: int) -> dict[str, str]:
    """New names for the values of a graph, which graphs of other numbers do not have (see :func:`renamed`)."""
    return {"": "", **{name: f"p{number}_{name}" for name in graph.types}}


def union(graphs: Sequence[Graph]) -> Graph:
    """Graphs side by side as one, with the inputs and outputs of each in order. They must share no name."""
    constants = {name: array for graph in graphs for name, array in graph.constants.items()}
    types: dict[str, TensorType] = {}
    opsets: dict[str, int] = {}
    updates: dict[str, int] = {}
    outputs: list[str] = []
    for graph in graphs:
        types.update(graph.types)
        opsets.update(graph.opsets)
        updates.update({name: len(outputs) + place for name, place in graph.updates.items()})
        outputs += graph.outputs
    return Graph(
        tuple(name for graph in graphs for name in graph.inputs),
        constants,
        tuple(node for graph in graphs for node in graph.nodes),
        tuple(outputs),
        types,
        opsets,
        updates,
    )
