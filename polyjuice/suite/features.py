"""What a pair exercises, as a set of names: what a suite is chosen to cover.

``operator Conv``; ``typed Conv float16``, by the element types of its operands; ``edge Conv > Relu``; ``rule x``, one
that fired in the pair's e-graph; ``turn Mul | Add``, an operator that only ``a`` has and one that only ``b`` has (of
each side three, by name); ``pass x of C``, one that compiler C ran on one side alone, where it was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polyjuice.generate.metrics import paths
from polyjuice.ir import Graph

WEIGHTS: Mapping[str, float] = {"operator": 8, "rule": 4, "pass": 8, "turn": 2, "typed": 2, "edge": 1}
"""How much it counts to cover what no case covers yet, by the first word of its name."""

_FEW = 3
"""How many operators of one side alone count: their pairs with those of the other are many."""


def of_pair(a: Graph, b: Graph, rules: Iterable[str]) -> frozenset[str]:
    """The features of two graphs and the rules between them."""
    found = {f"rule {name}" for name in rules}
    for graph in (a, b):
        for node in graph.nodes:
            types = dict.fromkeys(graph.types[name].dtype for name in node.inputs if name)
            found.add(f"operator {node.qualified}")
            found.add(" ".join(["typed", node.qualified, *types]))
        found.update(f"edge {first} > {second}" for first, second in paths(graph)[0])
    found.update(f"turn {one} | {other}" for one in _only(a, b) or ["-"] for other in _only(b, a) or ["-"])
    return frozenset(found)


def of_passes(compiler: str, a: Sequence[str], b: Sequence[str]) -> frozenset[str]:
    """The passes that a compiler ran on one of two programs alone, from their traces; a trace's counts do not count."""
    met = [{name.partition("=")[0] for name in trace} for trace in (a, b)]
    return frozenset(f"pass {name} of {compiler}" for name in met[0] ^ met[1])


def named(features: Iterable[str], kind: str) -> list[str]:
    """Those of a kind, without it, in order."""
    return sorted(name.partition(" ")[2] for name in features if name.partition(" ")[0] == kind)


def _only(a: Graph, b: Graph) -> list[str]:
    return sorted({node.qualified for node in a.nodes} - {node.qualified for node in b.nodes})[:_FEW]
