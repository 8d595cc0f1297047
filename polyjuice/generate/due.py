"""The schedule of a campaign: each program is due to hold some operator on some element type, with levels of factors.

In one cycle every operator takes its turn on every kind of element type. Types that compilers treat nearly alike share
a turn: float32 in one cycle, float64 in the next. A round is one cycle for a type with its own turn, and two cycles if
two types share one. In each round an operator on an element type meets the next level of every factor (a size class, a
neighbour ...). Each factor has an order of its own. After as many rounds as a factor has levels, every (operator,
element type) has met all levels; fewer rounds cannot do that. So the programs are a covering array of strength two
between the first column and each other column. The construction is cyclic: a column is a sequence of permutations of
its levels. The campaign's seed and a program's index determine the schedule.
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
"""Element types that compilers treat nearly alike. One of each group takes its turn in each cycle."""


@dataclass(frozen=True, kw_only=True)
class Due:
    """An operator, the element type of its first operand, and the round in which they are due."""

    op: Op
    dtype: str
    round: int
    seed: int | str

    def level(self, factor: str, levels: Sequence[T]) -> T:
        """Return the level of a factor that is due with this operator and element type in this round."""
        cycle, place = divmod(self.round, len(levels))
        key = f"{self.seed} {self.op.qualified} {self.dtype} {factor} {cycle}"
        return levels[order(len(levels), key)[place]]


def due(operators: Sequence[Op], seed: int | str, indices: Iterable[int]) -> list[Due]:
    """Return the operators and element types that are due at some indices. ``operators`` must not be empty."""
    turns, ends = _turns_of(tuple(operators))
    found = []
    for index in indices:
        cycle, place = divmod(index, ends[-1])
        pair = order(ends[-1], f"{seed} {cycle}")[place]
        number = bisect_right(ends, pair)
        alike = turns[number][pair - ends[number]]
        first = crc32(f"{seed} {operators[number].qualified}".encode())
        found.append(
            Due(op=operators[number], dtype=alike[(first + cycle) % len(alike)], round=cycle // len(alike), seed=seed)
        )
    return found


@lru_cache
def _turns_of(operators: tuple[Op, ...]) -> tuple[Sequence[Sequence[Sequence[str]]], Sequence[int]]:
    """Return the turns of each operator, and the sum of their numbers up to each operator."""
    turns = [_turns(tuple(op.types[op.inputs[0]])) for op in operators]
    return turns, list(accumulate(map(len, turns)))


@lru_cache
def _turns(types: tuple[str, ...]) -> Sequence[Sequence[str]]:
    """Return the element types of an operator's first operand in groups of similar ones. A group's types take turns."""
    left = list(types)
    found: list[Sequence[str]] = []
    while left:
        alike = next((types for types in _ALIKE if left[0] in types), (left[0],))
        found.append([dtype for dtype in alike if dtype in left])
        left = [dtype for dtype in left if dtype not in alike]
    return found


@lru_cache(4096)
def order(count: int, key: str) -> Sequence[int]:
    """Return the numbers below ``count`` in an order that the key decides."""
    return Random(key).sample(range(count), count)
