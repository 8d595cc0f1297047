"""Function rewriting: choose a part of a graph that becomes a function, and the way to call it.

HirGen wraps subgraphs into functions (HirGen, section 3.2, algorithm 2). It also puts another function between a
function and its calls in three ways (section 3.3.2). The graph does not change: lowerings write the call.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.choosers import Chooser
from polyjuice.ir import Graph, Part, connected, cut, random_order

FUNCTIONS = "functions"
"""The label of a program that is another one, with a part as a function. Importers that take none lack this idiom."""

CHANCE = 0.15
"""How often a program has a function of its own."""


class Calling(StrEnum):
    """The way to call a function, as the idiom's name."""

    DIRECT = "a function of its own"
    WRAPPED = "a function called through another"
    LOCAL = "a function local to another"
    RETURNED = "a function returned by another"


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A part of a graph that becomes a function, and the way to call it.

    ``before`` and ``after`` are the numbers of the other nodes, in this order. The call stands between them.
    """

    part: Part
    before: Sequence[int]
    after: Sequence[int]
    calling: Calling


_SITE = "outline"
"""The subject of the choices."""


def twins(graph: Graph, choices: LoweringChoices, seed: str) -> tuple[LoweringChoices, LoweringChoices]:
    """Return the choices without a function of the program's own, and with a random part of the graph as one."""
    rng = random.Random(f"twins {seed}")
    plain = choices.without([site for site in choices.taken if site[0] == _SITE])
    part = {next(filter(None, graph.nodes[number].outputs)): [1] for number in _random_part(graph, rng)}
    marks = {(_SITE, name): marked for name, marked in part.items()}
    return plain, LoweringChoices.of({**plain.taken, **marks, (_SITE, ""): [rng.randrange(len(Calling))]})


def choose(graph: Graph, chooser: Chooser, callings: Sequence[Calling] = tuple(Calling)) -> Outline | None:
    """Sometimes return a convex, connected part of random place and size, and one of the ways to call it."""
    draws = chooser.about(_SITE)
    numbers = {next(filter(None, node.outputs), ""): number for number, node in enumerate(graph.nodes)}
    names = {number: name for name, number in numbers.items()}
    marked = draws.marked(numbers, lambda rng: [names[number] for number in _some_part(graph, rng)])
    nodes = _with_paths(graph, {numbers[name] for name in marked})
    return outline(graph, nodes, draws.choice(callings)) if nodes else None


def _some_part(graph: Graph, rng: random.Random) -> frozenset[int]:
    part = _random_part(graph, rng) if rng.random() < CHANCE else frozenset()
    return part if len(part) > 1 else frozenset()


def _random_part(graph: Graph, rng: random.Random) -> frozenset[int]:
    order = random_order(graph, rng)
    if not order:
        return frozenset()
    length = rng.randint(min(2, len(order)), len(order))
    start = rng.randint(0, len(order) - length)
    return connected(graph, order[start : start + length])


def _with_paths(graph: Graph, nodes: Collection[int]) -> frozenset[int]:
    behind, before = set(nodes), set(nodes)
    made = {name for number in nodes for name in graph.nodes[number].outputs if name}
    read = {name for number in nodes for name in graph.nodes[number].inputs if name}
    for number, node in enumerate(graph.nodes):
        if not made.isdisjoint(node.inputs):
            behind.add(number)
            made.update(filter(None, node.outputs))
    for number, node in reversed(list(enumerate(graph.nodes))):
        if not read.isdisjoint(node.outputs):
            before.add(number)
            read.update(filter(None, node.inputs))
    return frozenset(behind & before)


def outline(graph: Graph, nodes: frozenset[int], calling: Calling) -> Outline:
    """Return the outline of a convex part, with the other nodes before and after it."""
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
    return Outline(part=part, before=before, after=after, calling=calling)
