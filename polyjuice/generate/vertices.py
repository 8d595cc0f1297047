"""The vertices of a suite, counted as in vertex diversity, for strategies that look for new ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence, Set

from polyjuice.generate.call_space import CallSpace, Vertex, call_space
from polyjuice.ir import Attrs, TensorType, attribute_texts
from polyjuice.ops import Op

FADING = 0.9
"""The weight of a call relative to the operator's next one."""

_ROOM = 0.6
"""The exponent by which operators with a small call space are preferred."""

_FULL = 0.001
"""The preference of an operator whose call space is used up: less than that of the largest call space."""

_FAILURES = 10
"""After how many failures on first operands of a rank, without a success, an operator counts as unsuited to them."""

_Shape = tuple[int, ...]


class Vertices:
    """The different calls of each operator so far, and where more may exist."""

    def __init__(self, space: Callable[[str], CallSpace] = call_space) -> None:
        """``space`` returns an operator's call space, by its qualified name: its size, and what distinguishes calls."""
        self._space = space
        self._seen: dict[str, set[Vertex]] = defaultdict(set)
        self._shapes: dict[str, set[_Shape]] = defaultdict(set)
        self._readers: Counter[_Shape] = Counter()
        self._renewals: dict[str, float] = {}
        self._failures: Counter[tuple[str, int]] = Counter()
        self._suiting: set[tuple[str, int]] = set()
        self._preferences: dict[str, float] = {}

    def add(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        """Record a call."""
        name, shape, seen = op.qualified, types[0].shape, self._seen[op.qualified]
        seen.add(vertex(self._space(op.qualified), types, attrs))
        if shape not in self._shapes[name]:
            self._shapes[name].add(shape)
            self._readers[shape] += 1
            self._suiting.add((name, len(shape)))
        if len(seen) == self._space(name).size:
            self._preferences[name] = _FULL

    def judge(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> bool:
        """Return whether a call is new. If its first shape is known, remember the outcome (see ``renewal``)."""
        new = vertex(self._space(op.qualified), types, attrs) not in self._seen[op.qualified]
        if types[0].shape in self._shapes[op.qualified]:
            self._renewals[op.qualified] = FADING * self.renewal(op) + (1 - FADING) * new
        return new

    def fail(self, op: Op, first: TensorType) -> None:
        """Record that no call on a first operand was found."""
        self._failures[op.qualified, first.rank] += 1

    def suits(self, op: Op, first: TensorType) -> bool:
        """Return whether there may be calls on a first operand, judged by its rank."""
        key = op.qualified, first.rank
        return key in self._suiting or self._failures[key] < _FAILURES

    def known(self, op: Op) -> Set[Vertex]:
        """Return the different calls of an operator."""
        return self._seen[op.qualified]

    def shapes(self, op: Op) -> Set[_Shape]:
        """Return the shapes of an operator's first operands so far."""
        return self._shapes[op.qualified]

    def readers(self, shape: _Shape) -> int:
        """Return how many operators have had a first operand of a shape."""
        return self._readers[shape]

    def renewal(self, op: Op) -> float:
        """Return the share of new calls among those on known first shapes of an operator. Recent calls count most."""
        return self._renewals.get(op.qualified, 1.0)

    def preference(self, op: Op) -> float:
        """Return the weight of an operator among candidates: high for a small call space, low once that is used up."""
        name = op.qualified
        if name not in self._preferences:
            self._preferences[name] = self._by_room(name)
        return self._preferences[name]

    def _by_room(self, name: str) -> float:
        return float(self._space(name).size ** -_ROOM)


def vertex(space: CallSpace, types: Sequence[TensorType], attrs: Attrs) -> Vertex:
    """Return what distinguishes a call from others of its operator (GenCoG, definition 5.1), but for element types."""
    values = {name: value for name, value in attrs.items() if name in space.attrs} if space.attrs else {}
    return space.vertex(types, attribute_texts(values))
