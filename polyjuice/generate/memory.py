"""What the graphs of a suite hold already, for strategies that look for what they do not."""

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
    """The calls of each operator so far, and how many of its last ones were new; and what is covered.

    A call is its operands' types and its attributes: GenCoG's vertex (paper 002, definition 5.1). What can be covered
    are HirGen's pairs (paper 003, section 3.1.3): of an operator and an element type, a shape, or another operator.
    """

    def __init__(self, space: Callable[[str], CallSpace] = call_space) -> None:
        """``space``: how many calls an operator has room for (see ``Vertices``)."""
        self.vertices = Vertices(space)
        self._covered: set[tuple[str, str, str]] = set()
        self._calls: dict[str, set[object]] = defaultdict(set)
        self._news: dict[str, float] = {}

    def knows(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> bool:
        return _call(types, attrs) in self._calls[op.qualified]

    def add(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        """Take a call in."""
        call, calls = _call(types, attrs), self._calls[op.qualified]
        new = call not in calls
        calls.add(call)
        self._news[op.qualified] = FADING * self.novelty(op) + (1 - FADING) * new

    def novelty(self, op: Op) -> float:
        """The share of an operator's calls that were new when they came, the last ones counting most; 1 without any."""
        return self._news.get(op.qualified, 1.0)

    def covers(self, pair: tuple[str, str, str]) -> bool:
        return pair in self._covered

    def cover(self, pairs: set[tuple[str, str, str]]) -> bool:
        """Take pairs in, each with its kind before it; whether one of them is new."""
        new = not pairs <= self._covered
        self._covered |= pairs
        return new


class Turn(Memory):
    """What is due in a case of a campaign; all else that could be new is left to other cases.

    Every edge has its turn once in so many cases, and so has every operator on every element type. So a campaign is
    directed as a suite is, with nothing to remember: each case follows from the campaign's seed and its index alone,
    whoever runs it.
    """

    def __init__(self, seed: int | str, index: int) -> None:
        super().__init__()
        self.seed = seed
        self.index = index
        self._turn = index % _TURNS

    def due(self, operators: Sequence[Op], count: int) -> list[Due]:
        """Operators, each with the element type of its first operand, that this case is to hold."""
        return due(operators, self.seed, range(self.index * count, (self.index + 1) * count))

    def covers(self, pair: tuple[str, str, str]) -> bool:
        turn = crc32(f"{self.seed} {pair}".encode()) % _TURNS
        return turn != self._turn or super().covers(pair)


def edge(producer: str, op: Op) -> tuple[str, str, str]:
    """The pair of an operator, by its qualified name, and one that reads its result."""
    return "edge", producer, op.qualified


def _call(types: Sequence[TensorType], attrs: Attrs) -> object:
    return tuple(types), tuple(attribute_texts(attrs))
