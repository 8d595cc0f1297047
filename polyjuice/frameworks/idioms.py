"""Idioms of all formats: common choices, the rate of unknown sizes, and the names of idioms in an artifact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from polyjuice.frameworks.choosers import Chooser
from polyjuice.ir import Graph, Node
from polyjuice.ops import axes, entry

_FROM_THE_END = 0.5

UNKNOWN_SIZES = 1 / 3
"""How often a program is compiled for inputs of any sizes."""


def axes_from_the_end(graph: Graph, chooser: Chooser, idioms: Counter[str]) -> Graph:
    """Sometimes count all axes from the end, because compilers look for patterns with ``dim=-1`` as people write it."""
    if not chooser.about("axes").chance(_FROM_THE_END):
        return graph
    nodes = tuple(_from_the_end(graph, node) for node in graph.nodes)
    if nodes != graph.nodes:
        idioms["axes counted from the end"] += 1
    return replace(graph, nodes=nodes)


def _from_the_end(graph: Graph, node: Node) -> Node:
    results = [name for name in node.outputs if name]
    if entry(node) is None or not node.inputs or not node.inputs[0] or not results:
        return node
    ranks = graph.types[node.inputs[0]].rank, graph.types[results[0]].rank
    return replace(node, attrs=axes.from_the_end(node.op, node.attrs, *ranks))


def further_result(values: Sequence[str], chooser: Chooser, chance: float, idioms: Counter[str]) -> list[str]:
    """Sometimes return one of these intermediate values, which becomes a further result."""
    draws = chooser.about("further result")
    found = draws.marked(values, lambda rng: [rng.choice(values)] if values and rng.random() < chance else [])
    idioms["an intermediate value as a result"] += len(found)
    return found


def named(idioms: Counter[str]) -> tuple[str, ...]:
    """Return the name of each idiom, with its count if it occurs more than once."""
    return tuple(f"{name} x{n}" if n > 1 else name for name, n in sorted(idioms.items()) if n)
