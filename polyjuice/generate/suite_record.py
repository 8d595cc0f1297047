"""A record of what the graphs of a suite hold, for strategies that look for new things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from sys import intern
from zlib import crc32

from polyjuice.generate.call_space import CallSpace, call_space
from polyjuice.generate.due import Due, due
from polyjuice.generate.vertices import FADING, Vertices, vertex
from polyjuice.ir import Attrs, TensorType, attribute_texts
from polyjuice.ops import Op

_TURNS = 64
"""In how many cases every edge has its turn once."""


class Memory:
    """The vertices of each operator so far, how much its recent calls contributed, and the covered pairs.

    A vertex is what GenCoG distinguishes of a call, with element types (definition 5.1). The pairs are HirGen's
    (section 3.1.3): an operator with an element type, with a shape, or with another operator. A suite of the default
    strategy also looks at ``vertices``.
    """

    def __init__(self, space: Callable[[str], CallSpace] = call_space) -> None:
        """``space`` returns how many different calls an operator allows (see ``Vertices``)."""
        self.vertices = Vertices(space)
        self._space = space
        self._covered: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._known: dict[str, set[bytes]] = defaultdict(set)
        self._contributing: dict[str, float] = {}

    def contributes(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> bool:
        """Return whether a call adds to vertex diversity, and record it. The outcome counts in ``contribution``."""
        name, space = op.qualified, self._space(op.qualified)
        key = _digest(space, types, attrs)
        new = not self.knows(name, key) and self.count(name) < space.size
        if new:
            self._known[name].add(key)
        self._contributing[name] = FADING * self._lately(name) + (1 - FADING) * new
        return new

    def contribution(self, op: Op) -> float:
        """Return how much one call of an operator adds to its vertex diversity, on average. Recent calls count most."""
        return self._lately(op.qualified) / self._space(op.qualified).size

    def knows(self, name: str, key: bytes) -> bool:
        """Return whether an operator has had the vertex with this digest."""
        return key in self._known[name]

    def count(self, name: str) -> int:
        """Return how many different vertices an operator has had."""
        return len(self._known[name])

    def _lately(self, name: str) -> float:
        return self._contributing.get(name, 1.0)

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
            self.contributes(*call)


class Draft(Memory):
    """A memory for one graph of GenCoG or HirGen. It knows what another memory holds, and leaves that one as it is."""

    def __init__(self, before: Memory) -> None:
        super().__init__(before._space)
        self._before = before
        self.calls: list[tuple[Op, Sequence[TensorType], Attrs]] = []

    def contributes(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> bool:
        """Return whether a call adds to the vertex diversity of both memories, and record it here."""
        self.calls.append((op, types, attrs))
        return super().contributes(op, types, attrs)

    def knows(self, name: str, key: bytes) -> bool:
        """Return whether this graph or the other memory has had the vertex with this digest."""
        return super().knows(name, key) or self._before.knows(name, key)

    def count(self, name: str) -> int:
        """Return how many different vertices this graph and the other memory have had."""
        return super().count(name) + self._before.count(name)

    def _lately(self, name: str) -> float:
        return self._contributing.get(name, self._before._lately(name))

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
        self._calls: dict[str, set[object]] = defaultdict(set)
        self._news: dict[str, float] = {}

    def add(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        """Record a call, for ``novelty``."""
        call, calls = _call(types, attrs), self._calls[op.qualified]
        new = call not in calls
        calls.add(call)
        self._news[op.qualified] = FADING * self.novelty(op) + (1 - FADING) * new

    def novelty(self, op: Op) -> float:
        """Return the share of an operator's calls that were new, recent calls counting most; 1 without any call."""
        return self._news.get(op.qualified, 1.0)

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


def _digest(space: CallSpace, types: Sequence[TensorType], attrs: Attrs) -> bytes:
    """Return a digest of a vertex. The vertices themselves would take hundreds of megabytes in a long campaign."""
    call = [t.dtype for t in types[: space.data_inputs]], vertex(space, types, attrs)
    return blake2b(repr(call).encode(), digest_size=8).digest()
