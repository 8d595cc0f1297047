"""Isra: graphs in topological order. Variables of each operator are drawn in an order that never needs backtracking.

Paper 000, sections III-B and III-C. Each operator's type is drawn uniformly. Then come its first operand, its
attributes, and the other operands one by one; for each, the rank is drawn before the lengths. With the probability
`picking rate` an operand is an existing value, if one is consistent with the earlier choices; else it is a new
placeholder. The entries of the operator table propagate the constraints. ``Op.sample`` draws the attributes and the
further operands' types for a first operand, in that order.

The original has no graph inputs (its placeholders are weights), one element type, and no broadcasting. Here
placeholders are inputs and constants of all element types. An operand may be any value that the operator's shape rule
takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyjuice.generate.growth import Growth
from polyjuice.generate.instances import OperatorUse
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Op

PICKING_RATE = 0.97
"""The value of section IV-B and table II."""

_CONSTANT = 0.3
"""How often a placeholder behind the first operand is a constant."""

_TRIES = 20
"""How many values, and how many new inputs, are tried for an operator that takes few."""

_MISSES = 250
"""How many operators in a row may find no operands before the graph ends."""


class Isra(Growth):
    """The strategy "isra"."""

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, or fewer if none finds operands any more."""
        self.grow(nodes, lambda: self.extend(self.rng.choice(self.operators)), _MISSES)
        return self.build()

    def extend(self, op: Op) -> bool:
        """Add an operator at the end; return False if it takes none of the tried first operands."""
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

    def _first_operand(self, op: Op) -> tuple[str, OperatorUse] | None:
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

    def _further(self, application: OperatorUse, types: Sequence[TensorType], place: int) -> str:
        """Return a value that is consistent with the operands before it, or a placeholder of the drawn type."""
        wanted = types[place]
        if self.rng.random() < PICKING_RATE:
            alike = [v for v in self.values if self.type(v).dtype == wanted.dtype]
            for _ in range(min(len(alike), _TRIES)):
                name = self.rng.choice(alike)
                if self.takes(application, types, place, self.type(name)):
                    return name
        return self.fresh(wanted, _CONSTANT)
