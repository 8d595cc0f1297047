"""What is due in each program of a campaign: an operator on an element type, and the levels of some factors with it.

Every operator on every kind of element type has its turn before any comes again: that is a cycle. Types on which
compilers do nearly the same, as float32 and float64, take turns: a round is one cycle for other types, and two for
these. In each round an operator on an element type meets the next level of every factor (a size class, a neighbour
...), each in an order of its own. After as many rounds as a factor has levels every (operator, element type) has met
all of them, and no fewer rounds can do that: the programs are a covering array of strength two between the first column
and each other one (the cyclic construction: a column is a sequence of permutations of its levels). What is due follows
from the campaign's seed and a program's index alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import TypeVar
from zlib import crc32

from polyjuice.ir import dtypes
from polyjuice.ops import Op

T = TypeVar("T")

_ALIKE = (
    ("float32", "float64"),
    ("float16", "bfloat16"),
    ("int32", "int16"),
    dtypes.WIDER_UNSIGNED,
    dtypes.NARROW_FLOATS,
    dtypes.NARROW_INTS,
)
"""Element types on which compilers do nearly the same: one of these comes in each cycle."""


@dataclass(frozen=True)
class Due:
    """An operator, the element type of its first operand, and in which round they come."""

    op: Op
    dtype: str
    round: int
    seed: int | str

    def level(self, factor: str, levels: Sequence[T]) -> T:
        """The level of a factor that the operator meets on this element type in this round."""
        cycle, place = divmod(self.round, len(levels))
        key = f"{self.seed} {self.op.qualified} {self.dtype} {factor} {cycle}"
        return levels[_order(len(levels), key)[place]]


def due(operators: Sequence[Op], seed: int | str, indices: Iterable[int]) -> list[Due]:
    """What is due at some indices. ``operators`` must not be empty."""
    turns = [_turns(tuple(op.types[op.inputs[0]])) for op in operators]
    ends = list(accumulate(map(len, turns)))
    found = []
    for index in indices:
        cycle, place = divmod(index, ends[-1])
        pair = _order(ends[-1], f"{seed} {cycle}")[place]
        number = bisect_right(ends, pair)
        alike = turns[number][pair - ends[number]]
        first = crc32(f"{seed} {operators[number].qualified}".encode())
        found.append(Due(operators[number], alike[(first + cycle) % len(alike)], cycle // len(alike), seed))
    return found


@lru_cache
def _turns(types: tuple[str, ...]) -> Sequence[Sequence[str]]:
    """The element types of an operator's first operand; those that are alike take turns."""
    left = list(types)
    found: list[Sequence[str]] = []
    while left:
        alike = next((types for types in _ALIKE if left[0] in types), (left[0],))
        found.append([dtype for dtype in alike if dtype in left])
        left = [dtype for dtype in left if dtype not in alike]
    return found


@lru_cache(4096)
def _order(count: int, key: str) -> Sequence[int]:
    """The numbers below ``count``, shuffled."""
    return Random(key).sample(range(count), count)
