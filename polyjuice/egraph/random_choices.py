"""The seed's random choices as facts for rules: r1 ... r6 of PolyJuice, table 1, and similar ones.

The key of a choice is the rule's name and whatever the choice depends on (a rank, a size, an element type). So two
rules choose independently, and an e-class that appears later finds its choice too.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from polyjuice.egraph.bounds import wider
from polyjuice.egraph.rows import Row
from polyjuice.egraph.rulefiles import Rule
from polyjuice.ir import Graph, dtypes, uniform_value
from polyjuice.ops import TABLE, numbers, primitives
from polyjuice.ops.sampling import factors

_ASKED = re.compile(r'\((random-perm|random-cut|random-divisor|random-axis|random-wider|Site) "([^"]+)"')

_MAX_RANK = 8

#: A rule with a ``Site`` applies at this number of values of a graph.
_SITES = 2

_GREATEST = 2.0**63
"""Integers beside a tensor are smaller than this magnitude."""


def asked(rules: Iterable[Rule]) -> list[tuple[str, str]]:
    """The choices that rules ask for, as (function, key)."""
    return sorted(set().union(*(_asked_in(rule.text) for rule in rules)))


@cache
def _asked_in(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(_ASKED.findall(text))


def sites(rules: Iterable[Rule], graph: Graph, rng: random.Random) -> dict[str, list[str]]:
    """Values of a graph, drawn at random, each with the keys of the rules that may apply there."""
    values = [*graph.inputs, *(name for node in graph.nodes for name in node.outputs if name)]
    chosen: dict[str, list[str]] = {}
    for function, key in asked(rules):
        if function == "Site":
            for name in rng.sample(values, min(_SITES, len(values))):
                chosen.setdefault(name, []).append(key)
    return chosen


def facts(rules: Sequence[Rule], graphs: Sequence[Graph], rng: random.Random) -> list[Row]:
    """The other choices, for every rank, dimension size and element type that may occur.

    Every permutation, random or from the graphs, comes with its inverse.
    """
    types = {t for graph in graphs for t in graph.types.values()}
    nodes = [n for graph in graphs for n in graph.nodes if n.qualified == primitives.TRANSPOSE and not n.opaque]
    ranks = sorted({r for t in types for r in (t.rank, t.rank + 1) if 0 < r <= _MAX_RANK})
    dims = {d for t in types for d in t.shape}
    sizes = sorted(
        {n for d in dims for n in (d, 2 * d, d // 2, d - d // 2) if n > 1} | {t.size for t in types if t.size > 1}
    )
    perms = {tuple(n.attrs["perm"]) for n in nodes}
    found: list[Row] = []
    for function, key in asked(rules):
        drawn = _drawn(function, ranks, sizes, sorted({t.dtype for t in types}), rng)
        found += [Row(function, (key, *choice)) for choice in drawn]
        if function == "random-perm":
            perms.update(perm for _, perm in drawn)
    inverses = {perm: tuple(perm.index(i) for i in range(len(perm))) for perm in sorted(perms)}
    both = {**inverses, **{inverse: perm for perm, inverse in inverses.items()}}
    found += _numbers(rules, graphs)
    return found + [Row("inverse-perm", (perm, inverse)) for perm, inverse in both.items()]


def _drawn(
    function: str, ranks: Sequence[int], sizes: Sequence[int], types: Sequence[str], rng: random.Random
) -> list[tuple[Any, Any]]:
    match function:
        case "random-cut":
            return [(n, rng.randint(1, n - 1)) for n in sizes]
        case "random-divisor":
            return [(n, rng.choice(proper)) for n in sizes if (proper := factors(n)[1:-1])]
        case "random-axis":
            return [(rank, rng.randrange(rank)) for rank in ranks]
        case "random-perm":
            return [(rank, _permutation(rng, rank)) for rank in ranks if rank > 1]
        case "random-wider":
            return [(t, rng.choice(wider(t))) for t in types if wider(t)]
    return []


_NUMBERS = re.compile(r"\((number|Single|Held) ")

_PLAIN = ("1", "2", "-1", "1.0", "2.0", "-1.0", "0.5")
"""Python numbers that rules may write, besides the numbers in the graphs."""


def _numbers(rules: Sequence[Rule], graphs: Sequence[Graph]) -> list[Row]:
    """Facts about the Python numbers in graphs, and about the values of uniform constants as Python numbers."""
    if not any(_NUMBERS.search(rule.text) for rule in rules):
        return []
    texts = dict.fromkeys(_PLAIN)
    for graph in graphs:
        for node in graph.nodes:
            op = None if node.opaque else TABLE.get((node.domain, node.op))
            if op and op.promotes:
                texts.update(dict.fromkeys(str(node.attrs[attr.name]) for attr in op.attrs))
        for array in graph.constants.values():
            value = uniform_value(array)
            if value is not None and math.isfinite(value):
                texts[numbers.text(float(value))] = None
                if value == int(value) and abs(value) < _GREATEST:
                    texts[numbers.text(int(value))] = None
    found = []
    for text in texts:
        parsed = numbers.parse(text)
        if math.isfinite(parsed) and int(parsed) == int(float(parsed)):
            found.append(Row("number", (text, float(parsed))))
        found += [Row("Single", (text,))] if numbers.single(parsed) else []
        found += [Row("Held", (text, dtype)) for dtype in dtypes.NUMERIC if numbers.held(parsed, dtype)]
    return found


def _permutation(rng: random.Random, rank: int) -> tuple[int, ...]:
    while True:
        perm = rng.sample(range(rank), rank)
        if perm != sorted(perm):
            return tuple(perm)
