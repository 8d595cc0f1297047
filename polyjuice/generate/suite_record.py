"""A record of what the graphs of a suite hold, for strategies that look for new things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from zlib import crc32

from polyjuice.generate.call_space import CallSpace, call_space
from polyjuice.generate.due import Due, due
from polyjuice.generate.vertices import FADING, Vertices
from polyjuice.ir import Attrs, TensorType, attribute_texts
from polyjuice.ops import Op

_TURNS = 64
"""In how many cases every edge has its turn once."""


class Memory:
    """The calls of each operator so far, the share of recent calls that were new, and the covered pairs.

    A call is its operands' types and its attributes. ``vertices`` counts those that GenCoG distinguishes. The pairs are
    HirGen's (section 3.1.3): an operator with an element type, with a shape, or with another operator.
    """

    def __init__(self, space: Callable[[str], CallSpace] = call_space) -> None:
        """``space`` returns how many different calls an operator allows (see ``Vertices``)."""
        self.vertices = Vertices(space)
        self._covered: set[tuple[str, str, str]] = set()
        self._calls: dict[str, set[object]] = defaultdict(set)
        self._news: dict[str, float] = {}

    def add(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        """Record a call."""
        call, calls = _call(types, attrs), self._calls[op.qualified]
        new = call not in calls
        calls.add(call)
        self._news[op.qualified] = FADING * self.novelty(op) + (1 - FADING) * new

    def novelty(self, op: Op) -> float:
        """Return the share of an operator's calls that were new, recent calls counting most; 1 without any call."""
        return self._news.get(op.qualified, 1.0)

    def covers(self, pair: tuple[str, str, str]) -> bool:
        """Return whether a pair is covered."""
        return pair in self._covered

    def cover(self, pairs: set[tuple[str, str, str]]) -> bool:
        """Record pairs, each with its kind in front; return whether one of them is new."""
        new = not pairs <= self._covered
        self._covered |= pairs
        return new


class Turn(Memory):
    """The memory for one case of a campaign. It tells what the case should look for, and leaves the rest to others.

    Every edge has its turn once in ``_TURNS`` cases; every operator takes its turn on every element type. So a campaign
    needs no memory to be guided like a suite. The campaign's seed and the index alone determine a case, in any process.
    """

    def __init__(self, seed: int | str, index: int) -> None:
        super().__init__()
        self.seed = seed
        self.index = index
        self._turn = index % _TURNS

    def due(self, operators: Sequence[Op], count: int) -> list[Due]:
        """Return the operators, each with the element type of its first operand, that this case should hold."""
        return due(operators, self.seed, range(self.index * count, (self.index + 1) * count))

    def covers(self, pair: tuple[str, str, str]) -> bool:
        """Return whether a pair is covered, or has its turn in other cases."""
        turn = crc32(f"{self.seed} {pair}".encode()) % _TURNS
        return turn != self._turn or super().covers(pair)


def edge(producer: str, op: Op) -> tuple[str, str, str]:
    """Return the pair of an operator, by its qualified name, and one that reads its result."""
    return "edge", producer, op.qualified


def _call(types: Sequence[TensorType], attrs: Attrs) -> object:
    return tuple(types), tuple(attribute_texts(attrs))
