"""A record of what the graphs of a suite hold, for strategies that look for new things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from sys import intern
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
        self._covered: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._calls: dict[str, set[bytes]] = defaultdict(set)
        self._news: dict[str, float] = {}

    def add(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        """Record a call."""
        new = not self.knows(op, types, attrs)
        self._calls[op.qualified].add(_call(types, attrs))
        self._news[op.qualified] = FADING * self.novelty(op) + (1 - FADING) * new

    def novelty(self, op: Op) -> float:
        """Return the share of an operator's calls that were new, recent calls counting most; 1 without any call."""
        return self._news.get(op.qualified, 1.0)

    def covers(self, pair: tuple[str, str, str]) -> bool:
        """Return whether a pair is covered."""
        return pair[2] in self._covered.get(pair[:2], ())

    def cover(self, pairs: set[tuple[str, str, str]]) -> bool:
        """Record pairs, each with its kind in front; return whether one of them is new."""
        new = not all(map(self.covers, pairs))
        for kind, name, other in pairs:
            self._covered[kind, name].add(intern(other))
        return new

    def absorb(self, draft: Draft) -> None:
        """Add the graph of a draft."""
        for key, others in draft._covered.items():
            self._covered[key] |= others
        for call in draft.calls:
            self.add(*call)


class Draft(Memory):
    """A memory for one graph. It knows what another memory holds, and leaves that one as it is.

    It keeps no ``vertices`` of the other memory, which suites of the default strategy use.
    """

    def __init__(self, before: Memory) -> None:
        super().__init__()
        self._before = before
        self.calls: list[tuple[Op, Sequence[TensorType], Attrs]] = []

    def knows(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> bool:
        """Return whether this graph or the other memory has this call."""
        return super().knows(op, types, attrs) or self._before.knows(op, types, attrs)

    def add(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        """Record a call."""
        super().add(op, types, attrs)
        self.calls.append((op, types, attrs))

    def novelty(self, op: Op) -> float:
        """Return the share of an operator's calls that were new, as if the other memory had this graph's calls."""
        return self._news.get(op.qualified, self._before.novelty(op))

    def covers(self, pair: tuple[str, str, str]) -> bool:
        """Return whether this graph or the other memory covers a pair."""
        return super().covers(pair) or self._before.covers(pair)


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


def _call(types: Sequence[TensorType], attrs: Attrs) -> bytes:
    """Return a digest of a call. The calls themselves would take 400 MB after 100,000 graphs of ten operators."""
    call = [*map(str, types), *attribute_texts(attrs)]
    return blake2b(repr(call).encode(), digest_size=8).digest()
