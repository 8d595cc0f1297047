"""Isra: graphs in topological order, each operator's variables in an order that leaves nothing to undo.

Paper 000, sections III-B and III-C. For every operator: its type, uniformly; its first operand; its attributes; then
operand by operand, of each the rank before the lengths. An operand is one of the values that there are, wherever one is
consistent with what was chosen before, with the probability `picking rate`, else a new placeholder. The entries of the
operator table propagate the constraints: ``Op.sample`` draws the attributes and the further operands' types for a first
operand, in that order.

The original has no graph inputs (its placeholders are weights), one element type, and no broadcasting; here
placeholders are inputs and constants of all element types, and an operand may be any value that the operator's shape
rule takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyjuice.generate.growth import Application, Growth
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Op

PICKING_RATE = 0.97
"""Section IV-B and table II."""

_CONSTANT = 0.3
"""How often a placeholder behind the first operand is a constant."""

_TRIES = 20
"""How many values, and how many new inputs, are offered to an operator that takes few."""

_MISSES = 250
"""How many operators in a row may find no operands before the graph is left as it is."""


class Isra(Growth):
    """The choices of this strategy."""

    def graph(self, nodes: int) -> Graph:
        self.grow(nodes, lambda: self.extend(self.rng.choice(self.operators)), _MISSES)
        return self.build()

    def extend(self, op: Op) -> bool:
        """Put an operator behind all others; False where it takes none of the first operands that were tried."""
        chosen = self._first_operand(op)
        if chosen is None:
            return False
        first, application = chosen
        operands, types = [first], list(application.types)
        for place, operand in enumerate(application.operands, 1):
            name = self.restricted(operand) if operand.values else self._further(application, types, place)
            operands.append(name)
            types[place] = self.type(name)
        self.add(op, operands, application.attrs, self.results_on(application, operands))
        return True

    def _first_operand(self, op: Op) -> tuple[str, Application] | None:
        """A value that there is, or a new input, and the operator's attributes and further operands for it."""
        dtypes = op.types[op.variable(0)]
        if self.rng.random() < PICKING_RATE:
            fitting = [v for v in self.values if self.type(v).dtype in dtypes]
            for _ in range(min(len(fitting), _TRIES)):
                first = self.rng.choice(fitting)
                if application := self.draw(op, self.type(first)):
                    return first, application
        for _ in range(_TRIES):
            t = self.random_type()
            t = t if t.dtype in dtypes else TensorType(self.rng.choice(self.inputs.dtypes_of(dtypes)), t.shape)
            if application := self.draw(op, t):
                return self.input(t), application
        return None

    def _further(self, application: Application, types: Sequence[TensorType], place: int) -> str:
        """A value that is consistent with the operands before it, or a placeholder of the type that was drawn."""
        wanted = types[place]
        if self.rng.random() < PICKING_RATE:
            alike = [v for v in self.values if self.type(v).dtype == wanted.dtype]
            for _ in range(min(len(alike), _TRIES)):
                name = self.rng.choice(alike)
                if self.takes(application, types, place, self.type(name)):
                    return name
        return self.fresh(wanted, _CONSTANT)
