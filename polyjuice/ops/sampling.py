"""Sample the further operands and the attributes of an operator from its first operand.

No function backtracks: each returns only well-typed results by construction, as in Isra (section III). None
means that the first operand does not suit the operator.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops.spec import Operand, Sample, SampleFn

T = TypeVar("T")
Draw = Callable[[random.Random, TensorType], T]

#: Sizes at which vectorised loops change their shape, beside small ones.
SIZES = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 32, 33)

MAX_RANK = 5

IDENTITY = 0.1
"""How often an operator that moves elements or changes types is drawn so that it does nothing."""

# Operators that share their place in the patterns of compilers, for the field ``followers`` of entries.
REDUCED = "ReduceSum ReduceMean ReduceMax"
ACTIVATED = "Relu Clip Sigmoid Tanh LeakyRelu PRelu Gelu"


class OwnSizes(random.Random):
    """A source of choices that has its own way to draw the size of a dimension."""

    def size(self, others: Sequence[int]) -> int:
        """A dimension size, where other dimensions have the sizes ``others``."""
        raise NotImplementedError


class FewSizes(random.Random):
    """A source of choices where most dimensions have one of few ``sizes``, so that many are alike.

    A compiler that confuses two axes gives a wrong result only where they are equally long. Otherwise it fails, or is
    right.
    """

    sizes: Sequence[int] = ()
    share: float = 0.8
    """How often a size is one of ``sizes``, where they are given; 1 if there are no others."""


_ALL_AXES = 0.2

_ALIKE = 0.25
"""How often a size is that of another axis."""


def size(rng: random.Random, others: Sequence[int] = ()) -> int:
    """A dimension size: a small number, a neighbour of a vector width (less often), or the size of another axis."""
    if isinstance(rng, OwnSizes):
        return rng.size(others)
    if others and rng.random() < _ALIKE:
        return rng.choice(others)
    if isinstance(rng, FewSizes) and rng.sizes and rng.random() < rng.share:
        return rng.choice(rng.sizes)
    return rng.choice(SIZES[:6]) if rng.random() < 0.5 else rng.choice(SIZES)


def element_type(rng: random.Random, types: Sequence[str]) -> str:
    """One of some element types. Those of `WIDER_UNSIGNED`, on which compilers do nearly the same, count as one."""
    alike = [t for t in types if t in dtypes.WIDER_UNSIGNED]
    chosen = rng.choice([t for t in types if t not in alike[1:]])
    return rng.choice(alike) if chosen in alike else chosen


def of_rank(least: int, most: float = math.inf, empty: bool = False) -> Callable[[Draw[T]], Draw[T | None]]:
    """Draw only for first operands of such ranks, and for those without elements only with ``empty``."""

    def limited(draw: Draw[T]) -> Draw[T | None]:
        def fitting(rng: random.Random, first: TensorType) -> T | None:
            suits = least <= first.rank <= most and (empty or 0 not in first.shape)
            return draw(rng, first) if suits else None

        return fitting

    return limited


def alone(rng: random.Random, first: TensorType) -> Sample:
    """A unary operator without attributes."""
    return Sample()


def alone_with(draw: Callable[[random.Random, TensorType], Attrs | None]) -> SampleFn:
    """A unary operator whose attributes ``draw`` chooses; None from ``draw`` means that the operand does not suit."""

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        attrs = draw(rng, first)
        return None if attrs is None else Sample((), attrs)

    return sample


def along(
    name: str,
    draw: Callable[[random.Random, int], Attrs] = lambda rng, size: {},
    least: int = 1,
    most: int = sys.maxsize,
) -> SampleFn:
    """A unary operator along an axis of such a size, by its name, and with further attributes for the size."""

    def drawn(rng: random.Random, first: TensorType) -> Attrs | None:
        axes = [i for i, d in enumerate(first.shape) if least <= d <= most]
        axis = rng.choice(axes) if axes else 0
        return {name: axis, **draw(rng, first.shape[axis])} if axes else None

    return alone_with(drawn)


def choosing(least: int = 0, most: float = math.inf, **choices: Sequence[Any]) -> SampleFn:
    """A unary operator of operands of such ranks, each of whose attributes has one of some values."""

    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        fits = least <= first.rank <= most
        return {name: rng.choice(values) for name, values in choices.items()} if fits else None

    return alone_with(draw)


def broadcastable(rng: random.Random, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that broadcasts with ``shape``: the same, a scalar's, one axis, or with dimensions dropped or ones."""
    chance = rng.random()
    if chance < 0.45:
        return shape
    if chance < 0.65 or not shape:
        return ()
    if chance < 0.8:
        axis = rng.randrange(len(shape))
        return (shape[axis], *(1 for _ in shape[axis + 1 :]))
    start = rng.randrange(len(shape) + 1)
    return tuple(1 if rng.random() < 0.3 else dim for dim in shape[start:])


def same_type(count: int) -> SampleFn:
    """An elementwise operator with ``count`` further operands of the first one's element type."""

    def sample(rng: random.Random, first: TensorType) -> Sample:
        types = (TensorType(first.dtype, broadcastable(rng, first.shape)) for _ in range(count))
        return Sample(tuple(Operand(t) for t in types))

    return sample


def operands(first: TensorType, *shapes: Sequence[int], **attrs: Any) -> Sample:
    """Further operands of the first one's element type, of these shapes, and attributes."""
    return Sample(tuple(Operand(TensorType(first.dtype, tuple(shape))) for shape in shapes), attrs)


def some_axes(rng: random.Random, rank: int) -> tuple[int, ...]:
    """A non-empty sorted subset of the axes, often all of them."""
    if rng.random() < _ALL_AXES:
        return tuple(range(rank))
    return tuple(sorted(rng.sample(range(rank), rng.randint(1, rank))))


def permutation(rng: random.Random, rank: int) -> tuple[int, ...]:
    return tuple(rng.sample(range(rank), rank))


def factors(n: int) -> list[int]:
    small = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    return sorted({*small, *(n // d for d in small)})


def shape_of_size(rng: random.Random, total: int, max_rank: int = MAX_RANK) -> tuple[int, ...]:
    dims: list[int] = []
    rest = total
    while rest > 1 and len(dims) < max_rank - 1:
        dims.append(rng.choice(factors(rest)))
        rest //= dims[-1]
    if rest > 1 or (not dims and rng.random() < 0.8):
        dims.append(rest)
    rng.shuffle(dims)
    return tuple(dims)


def total(shape: Iterable[int]) -> int:
    count = 1
    for dim in shape:
        count *= dim
    return count


def generator(rng: random.Random) -> np.random.Generator:
    """A source of random arrays, from a source of other choices."""
    return np.random.default_rng(rng.getrandbits(32))


def restricted_values(generator: np.random.Generator, operand: Operand) -> np.ndarray:
    """Values for an operand that has a range: integers in it, distinct along an axis where the operand says so."""
    assert operand.values is not None
    (low, high), t, axis = operand.values, operand.type, operand.distinct_along
    if axis is None:
        array = generator.integers(low, high, t.shape, endpoint=True)
    else:
        lines = [1] * t.rank
        lines[axis] = -1
        every = np.arange(low, high + 1).reshape(lines)
        wide = (*t.shape[:axis], every.size, *t.shape[axis + 1 :])
        array = generator.permuted(np.broadcast_to(every, wide), axis=axis).take(range(t.shape[axis]), axis=axis)
    return np.asarray(array).astype(dtypes.to_numpy(t.dtype))
