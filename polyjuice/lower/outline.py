"""Function rewriting: which part of a graph becomes a function, and how that function is called.

HirGen wraps subgraphs into functions (paper 003, section 3.2, algorithm 2), and puts another function between a
function and its calls in three ways (section 3.3.2). The graph stays as it is: lowerings spell the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from polyjuice.ir import Graph, Part, connected, cut, random_order
from polyjuice.lower.idioms import Choices

CHANCE = 0.15
"""How often a program has a function of its own."""


class Calling(StrEnum):
    """How a function is called, as the idiom is named."""

    DIRECT = "a function of its own"
    WRAPPED = "a function called through another"
    LOCAL = "a function local to another"
    RETURNED = "a function returned by another"


@dataclass(frozen=True)
class Outline:
    """A part of a graph that becomes a function, and how it is called.

    ``before`` and ``after`` are the other nodes, by number: in this order, the call stands between them.
    """

    part: Part
    before: Sequence[int]
    after: Sequence[int]
    calling: Calling


def choose(graph: Graph, choices: Choices, callings: Sequence[Calling] = tuple(Calling)) -> Outline | None:
    """Sometimes a convex, connected part of random place and size, and one of the ways to call it."""
    rng = choices.about("outline")
    order = random_order(graph, rng) if rng.random() < CHANCE else []
    if len(order) < 2:
        return None
    length = rng.randint(2, len(order))
    start = rng.randint(0, len(order) - length)
    nodes = connected(graph, order[start : start + length])
    return outline(graph, nodes, rng.choice(callings)) if len(nodes) > 1 else None


def outline(graph: Graph, nodes: frozenset[int], calling: Calling) -> Outline:
    """The rest of a graph around a convex part of it."""
    part = cut(graph, nodes)
    before: list[int] = []
    after: list[int] = []
    dependent = set(part.graph.outputs)
    for number, node in enumerate(graph.nodes):
        if number in nodes:
            continue
        if dependent.isdisjoint(node.inputs):
            before.append(number)
        else:
            after.append(number)
            dependent.update(filter(None, node.outputs))
    return Outline(part, before, after, calling)
