"""Blocks: several operators together, like the layers of models and the programs in published compiler bugs.

Random operators sometimes form a fusion pattern of two operators, and hardly ever one of five. Most blocks are what the
parts of compilers look for (see :mod:`polyjuice.targets`). The others, of ``rules/blocks``, are arithmetic that wraps
around, narrow types, decisions and reductions, which no part looks for and many get wrong. A block stops half-built if
the graph has all its operators or one is not allowed. The graph stays valid, because every operator is valid by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from polyjuice.egraph.pattern_instances import NoInstance
from polyjuice.generate.growth import Growth
from polyjuice.ops import TABLE
from polyjuice.targets import Target, of_every_compiler, of_no_compiler
from polyjuice.targets.blocks import block
from polyjuice.targets.near import near_miss as change

_OF_COMPILERS = 0.6
"""How often a block is what a part of a compiler looks for."""

_PRIVATE = 0.8
"""How often only operators of the same block read a value computed in it, as in most models. Compilers do not fuse two
operators, or match a pattern, if a third operator reads the value between them."""


def build(growth: Growth, nodes: int, near_miss: float = 0.0) -> None:
    """Build a block, or the beginning of one, on existing values that fit, else on new inputs.

    ``near_miss`` is how often it differs from the pattern in one place. A compiler must not take a near match for a
    match.
    """
    before = {*growth.values}
    nearly = bool(near_miss) and growth.rng.random() < near_miss
    of_compilers, *others = _choices(frozenset(growth.names))
    known = of_compilers if not others or growth.rng.random() < _OF_COMPILERS else growth.rng.choice(others)
    if known:
        build_target(growth, nodes, growth.rng.choice(known), nearly)
    if growth.rng.random() < _PRIVATE:
        growth.withdraw({name for name in growth.values if name not in before and growth.is_read(name)})


@lru_cache(8)
def _choices(operators: frozenset[str]) -> tuple[Sequence[Target], ...]:
    """The targets of all compilers with only these operators, and those of each block."""
    blocks: dict[str, list[Target]] = {"": [one for one in of_every_compiler() if one.operators <= operators]}
    for one in of_no_compiler():
        if one.operators <= operators:
            blocks.setdefault(one.part, []).append(one)
    return tuple(blocks.values())


def build_target(growth: Growth, nodes: int, target: Target, nearly: bool = False) -> bool:
    """Build a target's pattern; return whether all of it fits. An input is an existing value, if one has the type."""
    rng = growth.rng
    like = growth.type(rng.choice(growth.values[-6:])) if growth.values else growth.random_type()
    try:
        graph = block(target, rng, like.dtype, like)
    except NoInstance:
        return False
    if nearly:
        graph, _ = change(graph, rng, 1)
    names: dict[str, str] = {name: growth.add_constant(array) for name, array in graph.constants.items()}
    for name, t in zip(graph.inputs, graph.input_types, strict=True):
        existing = [value for value in growth.values if growth.type(value) == t]
        if not existing and not growth.inputs.allows(t):
            return False
        names[name] = rng.choice(existing[-6:]) if existing else growth.input(t)
    for node in graph.nodes:
        results: tuple[str, ...] = ()
        if len(growth) < nodes:
            results = growth.apply(TABLE[node.domain, node.op], [names[x] for x in node.inputs], node.attrs)
        if not results:
            return False
        names.update(zip(node.outputs, results, strict=True))
    return True
