"""HirGen: graphs in which every operator covers something that the suite has not had.

Paper 003, sections 3.1.3 and 3.1.4, algorithm 1 (strict generation). An operator is chosen, and an element type, all
alike; operands are values that there are, of types and shapes that suit it, each once if it can be, and new ones where
they do not suffice. The operator is inserted if one of three coverages grows: its pair with the element type, with the
result's shape, or an edge from another operator to it. The coverage is a :class:`Memory` that is given, or the graph's
own.

The original's operators are all elementwise; here all operators and all broadcasts take part. Of ten element types most
would be those of no value in a small graph, and no edge would come about: mostly one is chosen that there is.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyjuice.generate.growth import Application, Growth
from polyjuice.generate.memory import edge
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Op

_CREATED = 0.15
"""How often an operand is a new value though there are some that suit."""

_CONSTANT = 0.3
"""How often what is created behind the first operand is a constant."""

_TRIES = 8
"""How many values, and how many new inputs, are offered to an operator that takes few."""

_MISSES = 2_000
"""How many operators in a row may cover nothing new before the graph is left as it is."""


class HirGen(Growth):
    """The choices of this strategy."""

    def graph(self, nodes: int) -> Graph:
        self.grow(nodes, lambda: self.extend(self.rng.choice(self.operators)), _MISSES)
        return self.build()

    def extend(self, op: Op) -> bool:
        """Insert an operator; False where no operand was found, or nothing new would be covered."""
        chosen = self._first_operand(op)
        if chosen is None:
            return False
        first, application = chosen
        operands = [first]
        for place, operand in enumerate(application.operands, 1):
            suiting = [] if operand.values else self._suiting(application, place, operands)
            operands.append(self.rng.choice(suiting) if suiting and self.rng.random() >= _CREATED else "")
        types = [self.type(name) if name else t for name, t in zip(operands, application.types, strict=True)]
        results = self.results(op, types, application.attrs)
        if not results or not self._covers(op, operands, types, results):
            return False
        for place, operand in enumerate(application.operands, 1):
            operands[place] = operands[place] or (
                self.restricted(operand) if operand.values else self.fresh(operand.type, _CONSTANT)
            )
        self.add(op, operands, application.attrs, results)
        return True

    def _first_operand(self, op: Op) -> tuple[str, Application] | None:
        """A value of one of the operator's element types, or a new input, with what the operator needs beside it."""
        dtypes = op.types[op.variable(0)]
        if self.rng.random() >= _CREATED and (there := {self.type(name).dtype for name in self.values} & set(dtypes)):
            dtype = self.rng.choice(sorted(there))
            suiting = [name for name in self.values if self.type(name).dtype == dtype]
            for _ in range(min(len(suiting), _TRIES)):
                first = self.rng.choice(suiting)
                if application := self.draw(op, self.type(first)):
                    return first, application
        dtype = self.rng.choice(self.inputs.dtypes_of(dtypes))
        for _ in range(_TRIES):
            t = self.random_type(dtype)
            if application := self.draw(op, t):
                return self.input(t), application
        return None

    def _suiting(self, application: Application, place: int, operands: Sequence[str]) -> list[str]:
        """Some values that fit as a further operand, and are none yet."""
        wanted = application.types[place]
        there = [name for name in self.values if self.type(name).dtype == wanted.dtype and name not in operands]
        some = self.rng.sample(there, min(len(there), _TRIES))
        return [name for name in some if self.takes(application, application.types, place, self.type(name))]

    def _covers(
        self, op: Op, operands: Sequence[str], types: Sequence[TensorType], results: Sequence[TensorType]
    ) -> bool:
        """Whether an operator adds to one of the coverages; they are taken in then."""
        name = op.qualified
        found = {("type", name, types[0].dtype), *(("shape", name, str(t.shape)) for t in results)}
        found |= {edge(self.producers[x], op) for x in operands if x in self.producers}
        return self.memory.cover(found)
