"""Find the nodes of two equivalent programs that have no counterpart in the other."""

from __future__ import annotations

from collections import defaultdict

from polyjuice.ir import Graph, Node, attribute_texts, value_keys


def differing(a: Graph, b: Graph) -> tuple[frozenset[int], frozenset[int]]:
    """Return the positions of the nodes of each graph that the other one lacks.

    A node has a counterpart if the same operators compute it from the inputs, or if the same operators compute the
    outputs from it. Each node is the counterpart of at most one node.
    """
    pairs = _alike_from_inputs(a, b)
    _add_alike_from_outputs(a, b, pairs)
    return (
        frozenset(range(len(a.nodes))) - frozenset(pairs),
        frozenset(range(len(b.nodes))) - frozenset(pairs.values()),
    )


def _alike_from_inputs(a: Graph, b: Graph) -> dict[int, int]:
    keys, free = value_keys(b), defaultdict(list)
    for place, node in enumerate(b.nodes):
        free[tuple(keys[name] for name in node.outputs if name)].append(place)
    keys, pairs = value_keys(a), {}
    for place, node in enumerate(a.nodes):
        others = free[tuple(keys[name] for name in node.outputs if name)]
        if others:
            pairs[place] = others.pop(0)
    return pairs


def _add_alike_from_outputs(a: Graph, b: Graph, pairs: dict[int, int]) -> None:
    taken = set(pairs.values())
    makers_a, makers_b = _makers(a), _makers(b)
    todo = list(zip(a.outputs, b.outputs, strict=False))
    while todo:
        x, y = todo.pop()
        i, j = makers_a.get(x), makers_b.get(y)
        if i is None or j is None or i in pairs or j in taken:
            continue
        left, right = a.nodes[i], b.nodes[j]
        if _head(left) == _head(right):
            pairs[i] = j
            taken.add(j)
            todo += zip(left.inputs, right.inputs, strict=False)


def _makers(graph: Graph) -> dict[str, int]:
    return {name: place for place, node in enumerate(graph.nodes) for name in node.outputs if name}


def _head(node: Node) -> tuple[object, ...]:
    return node.qualified, attribute_texts(node.attrs), node.identity, len(node.inputs), len(node.outputs)
