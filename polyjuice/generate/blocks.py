"""Blocks: several operators together, like the layers of models and the programs in published compiler bugs.

Random operators sometimes form a fusion pattern of two operators, and hardly ever one of five. Most blocks are what the
parts of compilers look for (see :mod:`polyjuice.targets`). The others here are arithmetic that wraps around, narrow
types, decisions and reductions, which no part looks for and many get wrong. A block stops half-built if the graph has
all its operators or one is not allowed. The graph stays valid, because every operator is valid by itself.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from math import prod

from polyjuice.egraph.pattern_instances import NoInstance
from polyjuice.generate.block_site import BLOCKS, BlockSite, Unfit, block
from polyjuice.generate.growth import Growth
from polyjuice.ir import dtypes
from polyjuice.ops import TABLE, sampling
from polyjuice.targets import Target, of_every_compiler
from polyjuice.targets import blocks as of_targets
from polyjuice.targets.near import near_miss as change

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_INTEGERS = dtypes.INTS
_SIGNED = dtypes.SIGNED
_NUMBERS = (*_FLOATS, *_INTEGERS)

_OF_TARGETS = 0.6
"""How often a block is what a part of a compiler looks for."""

_PRIVATE = 0.8
"""How often only operators of the same block read a value computed in it, as in most models. Compilers do not fuse two
operators, or match a pattern, if a third operator reads the value between them."""


def build(growth: Growth, nodes: int, near_miss: float = 0.0) -> None:
    """Build a block, or the beginning of one, on an existing value that fits, else on a new input.

    ``near_miss`` is how often it differs from the pattern in one place. A compiler must not take a near match for a
    match.
    """
    before = {*growth.values}
    nearly = bool(near_miss) and growth.rng.random() < near_miss
    (_build_target if growth.rng.random() < _OF_TARGETS else _build_own)(growth, nodes, nearly)
    if growth.rng.random() < _PRIVATE:
        growth.withdraw({name for name in growth.values if name not in before and growth.is_read(name)})


def _build_own(growth: Growth, nodes: int, nearly: bool) -> None:
    chosen = growth.rng.choices(BLOCKS, [block.weight for block in BLOCKS])[0]
    fitting = [name for name in growth.values if chosen.fits(growth.type(name))]
    if fitting:
        x = growth.rng.choice(fitting[-6:])
    else:
        types, ranks = growth.inputs.dtypes_of(chosen.dtypes), growth.inputs.ranks_of(chosen.ranks)
        x = growth.input(growth.random_type(growth.rng.choice(types), growth.rng.choice(ranks)))
        if not chosen.fits(growth.type(x)):  # the new input is empty
            return
    with suppress(Unfit):
        chosen.build(BlockSite(growth, nodes, nearly), x)


def _build_target(growth: Growth, nodes: int, nearly: bool) -> None:
    """Build what a part of a compiler looks for. An input of it is an existing value, if one has the type."""
    rng, known = growth.rng, _targets_within(frozenset(growth.names))
    like = growth.type(rng.choice(growth.values[-6:])) if growth.values else growth.random_type()
    try:
        graph = of_targets.block(rng.choice(known), rng, like.dtype, like)
    except (NoInstance, IndexError):
        return
    if nearly:
        graph, _ = change(graph, rng, 1)
    names: dict[str, str] = {name: growth.add_constant(array) for name, array in graph.constants.items()}
    for name, t in zip(graph.inputs, graph.input_types, strict=True):
        existing = [value for value in growth.values if growth.type(value) == t]
        if not existing and not growth.inputs.allows(t):
            return
        names[name] = rng.choice(existing[-6:]) if existing else growth.input(t)
    for node in graph.nodes:
        results: tuple[str, ...] = ()
        if len(growth) < nodes:
            results = growth.apply(TABLE[node.domain, node.op], [names[x] for x in node.inputs], node.attrs)
        if not results:
            return
        names.update(zip(node.outputs, results, strict=True))


@lru_cache(8)
def _targets_within(operators: frozenset[str]) -> tuple[Target, ...]:
    return tuple(target for target in of_every_compiler() if target.operators <= operators)


@block(_NUMBERS, 1)
def residual(s: BlockSite, x: str) -> None:
    """Sums and differences in a row that read a value again."""
    y = s.op(s.rng.choice(("Neg", "Abs", "Relu")), x)
    z = s.value(x, s.shape(x))
    for _ in range(s.rng.randint(1, 3)):
        y = s.op(s.rng.choice(("Add", "Sub")), *s.rng.sample((y, s.rng.choice((x, z))), 2))


# --- reductions ------------------------------------------------------------------------------------------------------


@block(_NUMBERS, 1, weight=2)
def position(s: BlockSite, x: str) -> None:
    """The position of the greatest or least element of a scaled, shifted, negated or rectified value."""
    change = s.rng.choice(("", "Neg", "Neg", "Mul", "Add", "Relu"))
    if change in ("Mul", "Add"):
        below = (-1, -2) if s.type(x).dtype in (*_FLOATS, *_SIGNED) else ()
        x = s.op(change, x, s.constant(x, s.rng.choice((2, 3, 1, *below))))
    elif change:
        x = s.op(change, x)
    s.op(s.rng.choice(("ArgMax", "ArgMin")), x, axis=s.axis(x), keepdims=s.rng.randint(0, 1))


@block(_FLOATS, 1)
def mean(s: BlockSite, x: str) -> None:
    """The mean or sum of a value that was broadcast, concatenated or reduced before."""
    chance = s.rng.random()
    axis = s.axis(x)
    if chance < 0.45:
        x = s.op("Unsqueeze", x, axes=(axis,)) if len(s.shape(x)) < 4 else s.op("ReduceMax", x, axes=(axis,))
        shape = list(s.shape(x))
        shape[axis] = s.rng.choice((2, 3, 4, 8))
        x = s.op("Expand", x, shape=tuple(shape))
    elif chance < 0.65:
        x = s.op("Concat", x, s.value(x, s.shape(x)), axis=axis)
    elif chance < 0.85:
        x = s.op(s.rng.choice(("ReduceMean", "ReduceSum", "ReduceMax")), x, axes=(axis,), keepdims=1)
        axis = s.axis(x)
    s.op(s.rng.choice(("ReduceMean", "ReduceMean", "ReduceSum")), x, axes=(axis,), keepdims=s.rng.randint(0, 1))


@block(_NUMBERS, 1)
def centred(s: BlockSite, x: str) -> None:
    """A value combined with its own reduction. The reduced axis is restored, or left to broadcasting."""
    axis = s.axis(x)
    if s.type(x).dtype not in dtypes.UNSIGNED and s.rng.random() < 0.4:  # make all numbers negative
        x = s.op("Sub", s.op("Neg", s.op("Abs", x)), s.constant(x, 1))
    y = s.op(s.rng.choice(("ReduceMax", "ReduceMin")), x, axes=(axis,), keepdims=0)
    if s.rng.random() < 0.7:
        y = s.op("Unsqueeze", y, axes=(axis,))
    s.op(s.rng.choice(("Sub", "Add", "Max")), x, y)


# --- types and decisions ---------------------------------------------------------------------------------------------


@block(dtypes.ALL, 0, weight=2)
def casts(s: BlockSite, x: str) -> None:
    """One conversion or two in a row, sometimes of a sum, a difference or a product."""
    if s.type(x).dtype in _NUMBERS and s.rng.random() < 0.5:
        x = s.op(s.rng.choice(("Add", "Mul", "Sub")), x, s.value(x, s.shape(x)))
    for _ in range(s.rng.randint(1, 2)):
        others = s.rng.choice((dtypes.ALL, _INTEGERS))
        x = s.op("Cast", x, to=sampling.element_type(s.rng, [t for t in others if t != s.type(x).dtype]))


_NARROW = (*dtypes.NARROW_FLOATS, *dtypes.NARROW_FLOATS, *dtypes.NARROW_INTS)
"""The floating types occur twice, because most compilers support only these."""


@block(_FLOATS, 0, weight=2)
def narrow_storage(s: BlockSite, x: str) -> None:
    """Store a value in a narrow type and convert it back, by casts or by quantization. Sometimes the value is moved."""
    to = s.rng.choice(_NARROW)
    scale = s.constant(x, s.rng.choice((2, 3, 1, 0.5)))
    if s.rng.random() < 0.4 and s.type(x).dtype != "float64":
        zero = s.narrow_constant(0, to)
        y = _moved_about(s, s.op("QuantizeLinear", x, scale, zero))
        s.op("DequantizeLinear", y, scale, *((zero,) if s.rng.random() < 0.7 else ()))
        return
    if s.rng.random() < 0.5:
        x = s.op(s.rng.choice(("Mul", "Div")), x, scale)
    y = _moved_about(s, s.op("Cast", x, to=to))
    chance = s.rng.random()
    if chance < 0.3 and to in dtypes.NARROW_FLOATS:
        bits = s.op("BitCast", y, to="uint8" if to == "float8e4m3fn" else "int8")
        y = s.op("BitCast", _moved_about(s, bits), to=to) if s.rng.random() < 0.6 else bits
    elif chance < 0.45:
        y = s.op("Cast", y, to=s.rng.choice(dtypes.NARROW_FLOATS))
    y = s.op("Cast", y, to=s.type(x).dtype if s.rng.random() < 0.7 else s.rng.choice(_NUMBERS))
    if s.rng.random() < 0.5:
        s.op(s.rng.choice(("Mul", "Div", "Add")), y, s.value(y, s.rng.choice(((), s.shape(y)))))


def _moved_about(s: BlockSite, x: str) -> str:
    rank, chance = len(s.shape(x)), s.rng.random()
    if chance < 0.4 and rank > 1:
        return s.op("Transpose", x, perm=tuple(s.rng.sample(range(rank), rank)))
    if chance < 0.5 and rank:
        return s.op("Reshape", x, shape=(prod(s.shape(x)),))
    return s.op("Identity", x) if chance < 0.6 else x


@block(_INTEGERS, 0, weight=2)
def narrow(s: BlockSite, x: str) -> None:
    """Arithmetic that wraps around soon, and a conversion or a comparison of the result (PolyJuice, figure 7)."""
    y = s.op(s.rng.choice(("Add", "Add", "Sub", "Mul")), x, s.value(x, s.shape(x)))
    if s.rng.random() < 0.6:
        others = [t for t in (*_INTEGERS, "float32") if t != s.type(x).dtype]
        s.op("Cast", y, to=sampling.element_type(s.rng, others))
    else:
        other = s.value(x, s.rng.choice([s.shape(x), ()]))
        s.op(s.rng.choice(("Less", "Greater", "Equal", "GreaterOrEqual")), y, other)


@block(_NUMBERS, 0, weight=2)
def bounds(s: BlockSite, x: str) -> None:
    """Minima, maxima and clips in a row; or a lower and an upper bound, between which there may be no number."""
    if s.rng.random() < 0.4:
        for side in s.rng.sample(("min", "max"), 2):
            x = s.op("Clip", x, **{side: float(s.rng.randint(0, 5))})
        return
    for _ in range(s.rng.randint(2, 3)):
        kind = s.rng.choice(("Min", "Max", "Clip", "Clip", "Relu"))
        low = float(s.rng.randint(0, 5))
        if kind == "Clip":
            limits = s.rng.choice(({"min": low}, {"max": low}, {"min": low, "max": low + s.rng.choice((1, 2, 4))}))
            x = s.op("Clip", x, **limits)
        elif kind == "Relu":
            x = s.op("Relu", x)
        else:
            x = s.op(kind, *s.rng.sample((x, s.constant(x, low)), 2))


@block(_NUMBERS, 0, weight=2)
def decisions(s: BlockSite, x: str) -> None:
    """A Where whose condition is a comparison, negated or not."""
    shape = s.shape(x)
    other = s.value(x, s.rng.choice([shape, shape[1:], ()]))
    comparisons = ("Less", "Less", "Greater", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal")
    condition = s.op(s.rng.choice(comparisons), x, other)
    if s.rng.random() < 0.6:
        condition = s.op("Not", condition)
    branches = (x if s.rng.random() < 0.5 else s.value(x, shape), s.value(x, s.rng.choice([shape, shape[-1:], ()])))
    s.op("Where", condition, *s.rng.sample(branches, 2))


@block(_NUMBERS, 2)
def triangle(s: BlockSite, x: str) -> None:
    """Keep elements by comparing row and column numbers, as a causal mask does, and reduce the result."""
    rows, columns = s.shape(x)[-2:]
    kept = s.op(s.rng.choice(("GreaterOrEqual", "Less", "Equal")), s.positions(rows, 1), s.positions(columns))
    y = s.op("Where", kept, x, s.constant(x, s.rng.choice((0, 1))))
    s.op(s.rng.choice(("ReduceSum", "ReduceMax")), y, axes=(len(s.shape(x)) - 1,), keepdims=s.rng.randint(0, 1))


@block(_INTEGERS, 0)
def remainders(s: BlockSite, x: str) -> None:
    """An integer division or remainder, and arithmetic on the result."""
    divisors = (2, 3, 4, 5, 8) if s.type(x).dtype in dtypes.UNSIGNED else (2, 4, 5, -2, -3)
    divisor = s.constant(x, s.rng.choice(divisors), s.rng.choice([(), s.shape(x)[-1:]]))
    y = s.op(s.rng.choice(("Div", "Mod")), x, divisor)
    s.op(s.rng.choice(("Mul", "Add", "Sub")), y, s.rng.choice((divisor, x)))
