"""What is due in each program of a campaign: an operator on an element type, and the levels of some factors with it.

Every operator on every element type has its turn before any comes again: that is a round. In each round it meets the
next level of every factor (a size class, a neighbour ...), each in an order of its own. After as many rounds as a
factor has levels every (operator, element type) has met all of them, and no fewer rounds can do that: the programs are
a covering array of strength two between the first column and each other one (the cyclic construction: a column is a
sequence of permutations of its levels). What is due follows from the campaign's seed and a program's index alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import TypeVar

from polyjuice.ops import Op

T = TypeVar("T")


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
    ends = list(accumulate(len(op.types[op.inputs[0]]) for op in operators))  # of each operator's pairs
    found = []
    for index in indices:
        cycle, place = divmod(index, ends[-1])
        pair = _order(ends[-1], f"{seed} {cycle}")[place]
        number = bisect_right(ends, pair)
        op = operators[number]
        found.append(Due(op, op.types[op.inputs[0]][pair - ends[number]], cycle, seed))
    return found


@lru_cache(4096)
def _order(count: int, key: str) -> Sequence[int]:
    """The numbers below ``count``, shuffled."""
    return Random(key).sample(range(count), count)
