"""Small programs that write into their inputs: one to four operators, most of which keep an input's type.

Values of an input's own type update it. The lowering chooses which values share memory, through which views, and which
statements write them (see :mod:`polyjuice.frameworks.torch.memory`). So the operators here make that choice matter:
they work on values of the input's type, on parts of it, and on views of it. Where a view has another element type, up
to three further operators compute on it and view the result as the original type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from polyjuice.generate.small import Small
from polyjuice.ir import Graph, TensorType, without_unused_inputs
from polyjuice.ops import Op
from polyjuice.ops.memory import seen_as
from polyjuice.ops.spec import OfBits

_OPERATORS = {1: 2, 2: 3, 3: 3, 4: 2}
"""The weight of each number of operators in a program."""

_KINDS: Mapping[str, Callable[[Op], bool]] = {
    "view": lambda op: op.view is not None,
    "part": lambda op: op.inputs.count(op.results[0]) == 2 and (op.moves or len(op.inputs) == 3),
}
"""Operators that return views, or put elements of one value into another of the type, at places that attributes or a
third operand choose."""

_CHANCES = {"view": 0.25, "part": 0.2, "due": 0.15}
"""How often an operator is one of these kinds, or the one that is due; otherwise it is any."""

_KEPT = 0.8
"""How often an operator's result must have the updated input's type, and how often its operand has it."""

_BACK = 0.6
"""How often a value computed on memory viewed as another type is viewed as the original type again."""

_SECOND, _TWO, _OTHER = 0.5, 0.3, 0.15
"""How often there is a second input of the type, two inputs are updated, and an update is not a computed value."""

_TRIALS = 40


class Statements(Small):
    """The strategy "statements"."""

    def graph(self, nodes: int) -> Graph:
        """Return a program of at most ``nodes`` operators that writes into one or two inputs."""
        rng = self.rng
        self._begin(nodes)
        self._kept = self.random_type(self._due.dtype if self._due.dtype in self._dtypes else "")
        for _ in range(1 + (rng.random() < _SECOND)):
            self.input(self._kept)
        wanted = min(nodes, rng.choices(list(_OPERATORS), list(_OPERATORS.values()))[0])
        while len(self) < wanted and any(self._grow() for _ in range(_TRIALS)):
            pass
        return self._updated()

    def _grow(self) -> bool:
        op, first = self._next()
        application = self.draw(op, self.type(first))
        if application is None:
            return False
        keeps = application.results[0] == self._kept
        if not keeps and not op.view and self.rng.random() < _KEPT:
            return False
        results = self._put(application, first)
        if results and isinstance(op.numpy, OfBits) and self.rng.random() < _BACK:
            self._compute_and_see_as(results[0], op, self.type(first))
        return bool(results)

    def _compute_and_see_as(self, seen: str, op: Op, t: TensorType) -> None:
        """Compute in one or two steps on memory viewed as another type, then view the result as the type ``t``."""
        for _ in range(self.rng.randint(1, 2)):
            for _ in range(_TRIALS):
                application = self.draw(self._any_on(seen), self.type(seen))
                if application and application.op.elementwise and application.results == (self.type(seen),):
                    seen = (self._put(application, seen) or (seen,))[0]
                    break
        attrs = {"to": t.dtype} if op.elementwise else seen_as(self.type(seen), t.dtype)
        if attrs:
            self.apply(op, [seen], attrs)

    def _next(self) -> tuple[Op, str]:
        rng = self.rng
        alike = self._alike(self.values)
        first = rng.choice(alike[-4:] if alike and rng.random() < _KEPT else self.values)
        chance = rng.random()
        for kind, share in _CHANCES.items():
            if chance < share:
                is_one = _KINDS.get(kind)
                found = [op for op in self.operators if (is_one(op) if is_one else op is self._due.op)]
                if found:
                    return rng.choice(found), first
            chance -= share
        return self._any_on(first), first

    def _alike(self, values: Sequence[str]) -> list[str]:
        return [name for name in values if self.type(name) == self._kept]

    def _updated(self) -> Graph:
        """Return the graph. The last computed value of the type becomes an input's final content, where possible."""
        rng = self.rng
        inputs = [name for name in self._alike(self.values) if name not in self.computed]
        computed = self._alike(self.computed)
        updates: dict[str, str] = {}
        for name in rng.sample(inputs, min(len(inputs), 1 + (rng.random() < _TWO))):
            others = [other for other in inputs if other != name]
            others = others if others and rng.random() < 0.5 else [self.constant(self._kept)]
            left = [value for value in computed if value not in updates.values()]
            updates[name] = left[-1] if left and rng.random() >= _OTHER else rng.choice(others)
        unread = [v for v in self.computed if not self.is_read(v) and v not in updates.values()]
        others = [v for v in self.computed if v not in unread and rng.random() < self._shown(v)]
        return without_unused_inputs(self._builder.graph([*unread, *others], updates))

    def random_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        """Return a type for a new input: nearly always a tensor with axes, so that it can have views."""
        return super().random_type(dtype, self.rng.choice((1, 1, 2, 2, 2, 3, 4)) if rank < 0 else rank)
