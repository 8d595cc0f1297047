"""The features of a pair, as a set of names. A suite should cover many of them.

- ``operator Conv``
- ``typed Conv float16``: an operator by the element types of its operands.
- ``edge Conv > Relu``
- ``rule x``: a rule that fired in the pair's e-graph.
- ``turn Mul | Add``: an operator that only ``a`` has and one that only ``b`` has (up to three of each side, by name).
- ``pass x of C``: a pass that the traced compiler C ran on only one side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from polyjuice.generate.metrics import paths
from polyjuice.ir import Graph

WEIGHTS: Mapping[str, float] = {"operator": 8, "rule": 4, "pass": 8, "turn": 2, "typed": 2, "edge": 1}
"""The gain from a feature that no case covers yet, by the first word of its name."""

_FEW = 3
"""The most operators of one side alone that count, because their pairs with the other side's are many."""


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
    """The passes in the trace of only one of two programs; the counts in traces are ignored."""
    met = [{name.partition("=")[0] for name in trace} for trace in (a, b)]
    return frozenset(f"pass {name} of {compiler}" for name in met[0] ^ met[1])


def named(features: Iterable[str], kind: str) -> list[str]:
    """The features of a kind, without the kind's name, in order."""
    return sorted(name.partition(" ")[2] for name in features if name.partition(" ")[0] == kind)


def _only(a: Graph, b: Graph) -> list[str]:
    return sorted({node.qualified for node in a.nodes} - {node.qualified for node in b.nodes})[:_FEW]
