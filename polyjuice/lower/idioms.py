"""What all formats share of idioms: what is chosen alike, how often sizes are open, and how an artifact names them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from polyjuice.ir import Graph, Node
from polyjuice.ops import axes, entry

_FROM_THE_END = 0.5

UNKNOWN_SIZES = 1 / 3
"""How often a program is compiled for inputs of any sizes."""


class Choices:
    """Random choices, each by what it is about: those about one value stay as they are while others change.

    The reduction of a finding needs that: a smaller program is spelled as the larger one was. ``called`` has the former
    names of values that have been renamed.
    """

    def __init__(self, seed: int | str, called: Mapping[str, str] = MappingProxyType({})) -> None:
        self._seed = seed
        self._called = called

    def name(self, value: str) -> str:
        """The name by which choices about a value go."""
        return self._called.get(value, value)

    def about(self, subject: str, value: str = "") -> random.Random:
        """The generator of the choices about a subject, or about a subject and a value of the graph."""
        return random.Random(f"{self._seed}: {subject} {self.name(value)}")


def axes_from_the_end(graph: Graph, choices: Choices, idioms: Counter[str]) -> Graph:
    """Sometimes all axes are counted from the end: compilers look for patterns with ``dim=-1``, as people write it."""
    if choices.about("axes").random() >= _FROM_THE_END:
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


def named(idioms: Counter[str]) -> tuple[str, ...]:
    """Each idiom by name, with how often it occurs where that is more than once."""
    return tuple(f"{name} x{n}" if n > 1 else name for name, n in sorted(idioms.items()))
