"""HirGen: every operator in a graph covers something new in the suite.

Paper 003, sections 3.1.3 and 3.1.4, algorithm 1 (strict generation). An operator and an element type are drawn
uniformly. Operands are existing values of suitable types and shapes, each used once if possible; new values fill the
gaps. The operator is inserted if it extends one of three coverages: its pair with the element type, its pair with the
result's shape, or an edge from another operator to it. The caller's :class:`Memory` holds the coverage; without one,
the graph keeps its own.

The original has only elementwise operators; here all operators and all kinds of broadcasting take part. A small graph
has values of only a few element types. So the draw mostly prefers a type already in the graph, else few edges would
arise.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyjuice.generate.growth import Growth
from polyjuice.generate.instances import OperatorUse
from polyjuice.generate.suite_record import edge
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Op

_CREATED = 0.15
"""How often an operand is a new value although existing ones suit."""

_CONSTANT = 0.3
"""How often a new operand behind the first is a constant."""

_TRIES = 8
"""How many values, and how many new inputs, are tried for an operator that takes few."""

_MISSES = 2_000
"""How many operators in a row may cover nothing new before the graph ends."""


class HirGen(Growth):
    """The strategy "hirgen"."""

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, or fewer if nothing new is found."""
        self.grow(nodes, lambda: self.extend(self.rng.choice(self.operators)), _MISSES)
        return self.build()

    def extend(self, op: Op) -> bool:
        """Insert an operator; return False if no operand was found, or it would cover nothing new."""
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
            operands[place] = operands[place] or self.further(operand, _CONSTANT)
        self.add(op, operands, application.attrs, results)
        return True

    def _first_operand(self, op: Op) -> tuple[str, OperatorUse] | None:
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

    def _suiting(self, application: OperatorUse, place: int, operands: Sequence[str]) -> list[str]:
        wanted = application.types[place]
        there = [name for name in self.values if self.type(name).dtype == wanted.dtype and name not in operands]
        some = self.rng.sample(there, min(len(there), _TRIES))
        return [name for name in some if self.takes(application, application.types, place, self.type(name))]

    def _covers(
        self, op: Op, operands: Sequence[str], types: Sequence[TensorType], results: Sequence[TensorType]
    ) -> bool:
        """Return whether an operator extends one of the coverages, and record what it covers."""
        name = op.qualified
        found = {("type", name, types[0].dtype), *(("shape", name, str(t.shape)) for t in results)}
        found |= {edge(self.producers[x], op) for x in operands if x in self.producers}
        return self.memory.cover(found)


class Unguided(HirGen):
    """The strategy "hirgen-unguided": the same without coverage guidance, for comparison (HirGen_r, section 5.5)."""

    def _covers(
        self, op: Op, operands: Sequence[str], types: Sequence[TensorType], results: Sequence[TensorType]
    ) -> bool:
        return True
