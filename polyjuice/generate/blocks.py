"""Blocks: several operators together, like the layers of models and the programs in published compiler bugs.

Random operators sometimes form a fusion pattern of two operators, and hardly ever one of five. A block is a function
that builds such a pattern on a value. It stops half-built if the graph has all its operators or one is not allowed. The
graph stays valid, because every operator is valid by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import prod

from polyjuice.generate.block_site import BLOCKS, BlockSite, Unfit, block
from polyjuice.generate.growth import Growth
from polyjuice.ir import dtypes
from polyjuice.ops import sampling

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_WIDE_FLOATS = ("float32", "float64")
_INTEGERS = dtypes.INTS
_SIGNED = dtypes.SIGNED
_NUMBERS = (*_FLOATS, *_INTEGERS)

_PRIVATE = 0.8
"""How often only operators of the same block read a value computed in it, as in most models. Compilers do not fuse two
operators, or match a pattern, if a third operator reads the value between them."""

_ACTIVATIONS = ("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Gelu", "Softplus", "HardSigmoid", "Elu")


def build(growth: Growth, nodes: int, near_miss: float = 0.0) -> None:
    """Build a block, or the beginning of one, on an existing value that fits, else on a new input.

    ``near_miss`` is how often one permutation, axis, flag or scale differs from the pattern. A compiler must not take a
    near match for a match.
    """
    chosen = growth.rng.choices(BLOCKS, [block.weight for block in BLOCKS])[0]
    fitting = [name for name in growth.values if chosen.fits(growth.type(name))]
    if fitting:
        x = growth.rng.choice(fitting[-6:])
    else:
        types, ranks = growth.inputs.dtypes_of(chosen.dtypes), growth.inputs.ranks_of(chosen.ranks)
        x = growth.input(growth.random_type(growth.rng.choice(types), growth.rng.choice(ranks)))
        if not chosen.fits(growth.type(x)):  # the new input is empty
            return
    before = {*growth.values}
    with suppress(Unfit):
        chosen.build(BlockSite(growth, nodes, bool(near_miss) and growth.rng.random() < near_miss), x)
    if growth.rng.random() < _PRIVATE:
        growth.withdraw({name for name in growth.values if name not in before and growth.is_read(name)})


# --- layers ----------------------------------------------------------------------------------------------------------


def _activated(s: BlockSite, x: str) -> str:
    chance = s.rng.random()
    if chance < 0.5:
        return s.op(s.rng.choice(_ACTIVATIONS), x)
    if chance < 0.6:
        return s.op("PRelu", x, s.value(x, s.shape(x)[-1:]))
    if chance < 0.8:
        return s.op("Clip", x, min=0.0, max=s.rng.choice((1.0, 6.0)))
    return s.op("Mul", x, s.op("Sigmoid", x))


@block(_NUMBERS, 1, weight=2)
def linear(s: BlockSite, x: str) -> None:
    """A matrix product, then perhaps a scale, a bias of any shape that broadcasts, and an activation."""
    columns = s.rng.choice((*s.shape(x)[-2:], 1, 2, 4, 8, 16, 17))
    y = s.op("MatMul", x, s.value(x, (s.shape(x)[-1], columns)))
    if s.rng.random() < 0.3:
        y = s.op(s.rng.choice(("Mul", "Div")), y, s.constant(x, s.rng.choice((2, 4, 8))))
    if s.rng.random() < 0.8:
        shape = s.shape(y)
        biases = [(), shape[-1:], shape[-2:], (*shape[-2:-1], 1), (s.rng.choice((1, 2, 3)), *shape[-2:])]
        y = s.op("Add", *s.rng.sample((y, s.value(x, s.rng.choice(biases))), 2))
    if s.type(x).dtype in _FLOATS:
        _activated(s, y)


@block((*dtypes.FLOATS, "int32", "int64", "uint32", "uint64"), 2, 2, weight=2)
def gemm(s: BlockSite, x: str) -> None:
    """A Gemm with all its attributes and a bias, sometimes on a single row."""
    if s.rng.random() < 0.25:
        x = s.op(s.rng.choice(("ReduceMax", "ReduceSum")), x, axes=(0,), keepdims=1)
        if len(s.shape(x)) < 2:  # a near miss: the axis is gone
            raise Unfit
    turned, turned_back = s.rng.randint(0, 1), s.rng.randint(0, 1)
    rows, inner = s.shape(x)[::-1] if turned else s.shape(x)
    columns = s.rng.choice((rows, inner, 1, 4, 5, 16))
    weights = s.value(x, (columns, inner) if turned_back else (inner, columns))
    bias = s.value(x, s.rng.choice([(columns,), (1, columns), (rows, 1), (rows, columns), ()]))
    choices = (1.0, 2.0, 0.5 if s.type(x).dtype in dtypes.FLOATS else 3.0)
    scales = {"alpha": s.rng.choice(choices), "beta": s.rng.choice(choices)}
    y = s.op("Gemm", x, weights, bias, transA=turned, transB=turned_back, **scales)
    s.op(s.rng.choice(("Relu", "Neg", "Abs")), y)


@block(_FLOATS, 3, weight=3)
def attention(s: BlockSite, x: str) -> None:
    """Softmax(q k^T scaled + mask) v, mostly of several heads."""
    if len(s.shape(x)) == 3 and s.rng.random() < 0.7:
        x = s.op("Unsqueeze", x, axes=(s.rng.randint(0, 1),))
    *batch, length, width = s.shape(x)
    key, value = s.value(x, (*batch, length, width)), s.value(x, (*batch, length, width))
    perm = [*range(len(batch)), len(batch) + 1, len(batch)]
    scores = s.op("MatMul", x, s.op("Transpose", key, perm=perm))
    scale = s.rng.choice((2, 4, 8))
    if s.rng.random() < 0.6:
        scores = s.op("Div", scores, s.constant(x, scale))
    else:
        scores = s.op("Mul", scores, s.constant(x, 1 / scale))
    if s.rng.random() < 0.3:
        scores = s.op("Add", scores, s.value(x, (length, length)))
    s.op("MatMul", s.op("Softmax", scores, axis=len(batch) + 1), value)


@block(_WIDE_FLOATS, 3, weight=2)
def convolution(s: BlockSite, x: str) -> None:
    """A convolution, operators that compilers fold into it, an activation, a pooling; or one with sliced channels."""
    channels, spatial = s.shape(x)[1], len(s.shape(x)) - 2
    kernel = [min(s.rng.choice((1, 2, 3)), size) for size in s.shape(x)[2:]]
    sliced = s.rng.random() < 0.25
    many = s.rng.choice((3, 4, 5) if sliced else (channels, s.shape(x)[-1] - kernel[-1] + 1, 1, 2, 4))
    window = {
        "strides": [s.rng.choice((1, 1, 2)) for _ in range(spatial)],
        "pads": _paddings(s, [1] * spatial),
        "dilations": [1] * spatial,
    }
    bias = [s.value(x, (many,))] if s.rng.random() < 0.5 else []
    y = s.op("Conv", x, s.value(x, (many, channels, *kernel)), *bias, group=1, **window)
    if sliced:
        s.op("Slice", y, starts=(s.rng.randint(0, 1),), ends=(many,), axes=(1,), steps=(2,))
        return
    chance = s.rng.random()
    if chance < 0.3:
        statistics = [s.value(x, (many,)) for _ in range(3)]
        y = s.op("BatchNormalization", y, *statistics, s.constant(x, s.rng.choice((1, 4)), (many,)))
    elif chance < 0.7:
        width = s.shape(y)[-1]
        shape = s.rng.choice([(many, *[1] * spatial), (1, many, *[1] * spatial), (width,), ()])
        y = s.op(s.rng.choice(("Add", "Mul")), y, s.value(x, shape))
    if s.rng.random() < 0.5:
        y = _activated(s, y)
    if s.rng.random() < 0.5:
        pooling.build(s, y)


def _paddings(s: BlockSite, most: Sequence[int]) -> list[int]:
    """Return the padding before and behind each axis: none, the same on both sides, or any."""
    if s.rng.random() < 0.4:
        return [0] * (2 * len(most))
    before = [s.rng.randint(0, size) for size in most]
    return before + (before if s.rng.random() < 0.6 else [s.rng.randint(0, size) for size in most])


@block(_WIDE_FLOATS, 3, weight=2)
def pooling(s: BlockSite, x: str) -> None:
    """A pooling, sometimes of a padded or activated value."""
    spatial = len(s.shape(x)) - 2
    chance = s.rng.random()
    if chance < 0.25:
        border = [s.rng.randint(0, 1) for _ in range(spatial)]
        x = s.op("Pad", x, pads=(0, 0, *border, 0, 0, *border), mode="constant")
    elif chance < 0.5:
        x = s.op("Neg", s.op("Relu", x))
    kernel = [min(s.rng.choice((2, 2, 3)), size) for size in s.shape(x)[2:]]
    pads = _paddings(s, [size - 1 for size in kernel])
    window = {
        "kernel_shape": kernel,
        "strides": [s.rng.choice((1, 1, 2)) for _ in range(spatial)],
        "pads": pads,
        "dilations": [1] * spatial,
    }
    if s.rng.random() < 0.5:
        s.op("MaxPool", x, **window)
    else:
        s.op("AveragePool", x, count_include_pad=s.rng.randint(0, 1), **window)


@block(_FLOATS, 1)
def normalization(s: BlockSite, x: str) -> None:
    """Layer normalization, written in elementary operators."""
    axes = (len(s.shape(x)) - 1,)
    centred = s.op("Sub", x, s.op("ReduceMean", x, axes=axes))
    if s.rng.random() < 0.5:
        squared = s.op("Mul", centred, centred)
    else:
        squared = s.op("Pow", centred, s.constant(x, 2))
    variance = s.op("Add", s.op("ReduceMean", squared, axes=axes), s.constant(x, 0.0625))
    y = s.op("Div", centred, s.op("Sqrt", variance))
    y = s.op("Mul", y, s.value(x, s.shape(x)[-1:]))
    s.op("Add", y, s.value(x, s.shape(x)[-1:]))


@block(_FLOATS, 1)
def gelu(s: BlockSite, x: str) -> None:
    """GELU, written in elementary operators, exact or with the hyperbolic tangent."""
    if s.rng.random() < 0.6:
        inner = s.op("Erf", s.op("Div", x, s.constant(x, 2**0.5)))
    else:
        cube = s.op("Mul", s.op("Pow", x, s.constant(x, 3)), s.constant(x, 0.044715))
        inner = s.op("Tanh", s.op("Mul", s.op("Add", x, cube), s.constant(x, 0.7978845608)))
    y = s.op("Mul", x, s.op("Add", inner, s.constant(x, 1)))
    s.op("Mul", y, s.constant(x, 0.5))


@block(_FLOATS, 1, weight=2)
def softmax(s: BlockSite, x: str) -> None:
    """Softmax, as one operator or in elementary operators, sometimes of a value scaled along an axis."""
    axis = s.axis(x)
    if s.rng.random() < 0.5:
        shape = s.rng.choice((s.shape(x)[-1:], [s.rng.choice((size, 1)) for size in s.shape(x)]))
        factor = s.constant(x, 2, shape) if s.rng.random() < 0.3 else s.value(x, shape)
        x = s.op(s.rng.choice(("Mul", "Div")), x, factor)
    if s.rng.random() < 0.4:
        s.op(s.rng.choice(("Softmax", "LogSoftmax")), x, axis=axis)
        return
    shifted = s.op("Sub", x, s.op("ReduceMax", x, axes=(axis,)))
    powers = s.op("Exp", shifted)
    s.op("Div", powers, s.op("ReduceSum", powers, axes=(axis,)))


@block(_NUMBERS, 1)
def residual(s: BlockSite, x: str) -> None:
    """Sums and differences in a row that read a value again."""
    y = s.op(s.rng.choice(("Neg", "Abs", "Relu")), x)
    z = s.value(x, s.shape(x))
    for _ in range(s.rng.randint(1, 3)):
        y = s.op(s.rng.choice(("Add", "Sub")), *s.rng.sample((y, s.rng.choice((x, z))), 2))


# --- rearranging -----------------------------------------------------------------------------------------------------


@block(dtypes.ALL, 1)
def parts(s: BlockSite, x: str) -> None:
    """Split a value, and concatenate its parts in any order."""
    axis = s.axis(x)
    size = s.shape(x)[axis]
    count = min(s.rng.choice((2, 2, 3)), size)
    cuts = sorted(s.rng.sample(range(1, size), count - 1))
    lengths = [b - a for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
    pieces = list(s.multi("Split", x, axis=axis, split=tuple(lengths)))
    if s.rng.random() < 0.3:
        pieces[0] = s.op("Identity", pieces[0])
    s.rng.shuffle(pieces)
    y = s.op("Concat", *pieces, axis=axis)
    if s.type(x).dtype in _NUMBERS and s.rng.random() < 0.4:
        s.op("ReduceMax", y, axes=(axis,), keepdims=s.rng.randint(0, 1))


@block(dtypes.ALL, 1)
def slices(s: BlockSite, x: str) -> None:
    """A slice of a slice, forward or backward, with steps or without."""
    for _ in range(2):
        axis = s.axis(x)
        size = s.shape(x)[axis]
        skipped = s.rng.randrange(max(size - 1, 1))
        if s.rng.random() < 0.3:
            bounds = {"starts": (size - 1 - skipped,), "ends": (-size - 1,), "steps": (-s.rng.randint(1, 3),)}
        else:
            bounds = {"starts": (skipped,), "ends": (size,), "steps": (s.rng.choice((1, 2, 2, 3)),)}
        x = s.op("Slice", x, axes=(axis,), **bounds)


@block(dtypes.ALL, 2)
def transposes(s: BlockSite, x: str) -> None:
    """Two transposes with or without an operator between them, or a transpose and a reshape; sometimes of a square."""
    rank = len(s.shape(x))
    if s.rng.random() < 0.3:
        x = s.value(x, (s.rng.choice((2, 3, 4, 5)),) * rank)
    y = s.op("Transpose", x, perm=tuple(s.rng.sample(range(rank), rank)))
    chance = s.rng.random()
    if chance < 0.4 and s.type(x).dtype in _NUMBERS:
        y = s.op(s.rng.choice(("Add", "Mul", "Sub")), y, s.value(x, s.shape(y)[-1:]))
    elif chance < 0.6:
        s.op("Reshape", y, shape=(prod(s.shape(x)[:2]), *s.shape(x)[2:]))
        return
    s.op("Transpose", y, perm=tuple(s.rng.sample(range(rank), rank)))


@block(_NUMBERS, 2, 3, weight=2)
def products(s: BlockSite, x: str) -> None:
    """A matrix product, mostly square, with a transpose before or behind it, an added vector, or scaled operands."""
    *batch, rows, columns = s.shape(x)
    if rows != columns and s.rng.random() < 0.6:
        x = s.value(x, (*batch, rows, rows))
        columns = rows
    swapped = [*range(len(batch)), len(batch) + 1, len(batch)]
    other = s.value(x, (*batch, columns, rows))
    chance = s.rng.random()
    if chance < 0.35:
        s.op("Transpose", s.op("MatMul", x, other), perm=swapped)
    elif chance < 0.55:
        s.op("MatMul", x, s.op("Transpose", s.value(x, (*batch, rows, columns)), perm=swapped))
    elif chance < 0.75:
        s.op("Add", s.op("MatMul", x, other), s.value(x, s.rng.choice([(rows, 1), (rows,), (1, rows)])))
    else:
        factors = [s.constant(x, s.rng.choice((2, 3)), (1,) * s.rng.choice((0, 0, 1, 2))) for _ in range(2)]
        other = s.op("Mul", other, factors[1]) if s.rng.random() < 0.5 else other
        y = s.op("MatMul", s.op("Mul", x, factors[0]), other)
        s.op("Add", y, s.value(x, s.rng.choice([(rows, 1), (rows,)])))


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


@block(_WIDE_FLOATS, 1)
def inverses(s: BlockSite, x: str) -> None:
    """An operator followed by its inverse, or a similar pair."""
    pair = s.rng.choice(
        ("Mul Div", "Div Mul", "Exp Log", "Neg Neg", "Reciprocal Reciprocal", "Mul Sqrt", "Abs Neg", "Sub Sub")
    ).split()
    c = s.constant(x, s.rng.choice((2, 3, 0)) if pair == ["Sub", "Sub"] else s.rng.choice((2, 4)))
    for name in pair:
        if name in ("Div", "Sub"):
            x = s.op(name, *((x, c) if s.rng.random() < 0.6 else (c, x)))
        elif name == "Mul":
            x = s.op(name, x, x if pair[1] == "Sqrt" else c)
        else:
            x = s.op(name, x)
