"""Parts of a graph that are convex (no path leaves one and comes back) and connected.

A run of nodes in a topological order is convex, and so is each connected part of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyjuice.ir.graph import Graph


@dataclass(frozen=True)
class Part:
    """Nodes of a graph, by number, and the graph that they form on their own.

    Its inputs are the values from outside (constants stay inside). Its outputs are the values needed outside.
    """

    nodes: frozenset[int]
    graph: Graph


def cut(graph: Graph, nodes: frozenset[int]) -> Part:
    """A convex set of nodes as a graph of its own."""
    inside = [graph.nodes[number] for number in sorted(nodes)]
    made = [name for node in inside for name in node.outputs if name]
    local = set(made)
    operands = dict.fromkeys(name for node in inside for name in node.inputs if name and name not in local)
    outside = (node for number, node in enumerate(graph.nodes) if number not in nodes)
    needed = {name for node in outside for name in node.inputs}.union(graph.outputs)
    inputs = tuple(name for name in operands if name not in graph.constants)
    return Part(
        nodes,
        Graph(
            inputs,
            {name: graph.constants[name] for name in operands if name in graph.constants},
            tuple(inside),
            tuple(name for name in made if name in needed),
            {name: graph.types[name] for name in (*operands, *made)},
            graph.opsets,
        ),
    )


def random_order(graph: Graph, rng: random.Random) -> list[int]:
    """The nodes that outputs depend on, in a random topological order: depth first, operands in random order.

    The producers of a node's operands stand close before the node.
    """
    maker = {name: number for number, node in enumerate(graph.nodes) for name in node.outputs if name}
    done: dict[int, None] = {}
    roots = [maker[name] for name in graph.outputs if name in maker]
    rng.shuffle(roots)
    for root in roots:
        stack = [(root, _makers(graph, root, maker, rng))]
        while stack:
            number, operands = stack[-1]
            following = next((n for n in operands if n not in done), None)
            if following is None:
                stack.pop()
                done[number] = None
            else:
                stack.append((following, _makers(graph, following, maker, rng)))
    return list(done)


def _makers(graph: Graph, number: int, maker: Mapping[str, int], rng: random.Random) -> Iterator[int]:
    names = list(dict.fromkeys(name for name in graph.nodes[number].inputs if name in maker))
    rng.shuffle(names)
    return (maker[name] for name in names)


def connected(graph: Graph, run: Sequence[int]) -> frozenset[int]:
    """The largest connected part of a run of nodes."""
    group = {number: number for number in run}

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = number = group[group[number]]
        return number

    maker = {name: number for number in run for name in graph.nodes[number].outputs if name}
    for number in run:
        for name in graph.nodes[number].inputs:
            if name in maker:
                group[root(maker[name])] = root(number)
    sizes = Counter(root(number) for number in run)
    largest = max(sizes, key=lambda r: sizes[r])
    return frozenset(number for number in run if root(number) == largest)
