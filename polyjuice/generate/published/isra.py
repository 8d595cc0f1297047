"""Isra: graphs in topological order. Variables of each operator are drawn in an order that never needs backtracking.

Paper 000, sections III-B and III-C. Each operator's type is drawn uniformly. Then come its first operand, its
attributes, and the other operands one by one; for each, the rank is drawn before the lengths. With the probability
`picking rate` an operand is an existing value, if one is consistent with the earlier choices; else it is a new
placeholder. The entries of the operator table propagate the constraints. ``Op.sample`` draws the attributes and the
further operands' types for a first operand, in that order.

The values that operators pick are the results of others and the first placeholder, as in the published code. A later
placeholder belongs to one operator; if others picked it, the graph would fall into small parts.

The original has no graph inputs (its placeholders are weights), one element type, and no broadcasting. Here
placeholders are inputs and constants of all element types. An operand may be any value that the operator's shape rule
takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from polyjuice.generate.growth import Growth
from polyjuice.generate.instances import OperatorUse
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Op, Operand

PICKING_RATE = 0.97
"""The value of section IV-B and table II."""

_CONSTANT = 0.3
"""How often a placeholder behind the first operand is a constant."""

_MOST_INPUTS = 5
"""The most operands of a variadic operator (the published ``MAX_MULTI_INPUTS``)."""

_TRIES = 20
"""How many new inputs are tried for an operator that takes few."""

_MISSES = 250
"""How many operators in a row may find no operands before the graph ends."""


class Isra(Growth):
    """The strategy "isra"."""

    def __init__(self, *arguments: Any, picking_rate: float = PICKING_RATE) -> None:
        super().__init__(*arguments)
        self._picking_rate = picking_rate

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, or fewer if none finds operands any more."""
        self.grow(nodes, lambda: self.extend(self.rng.choice(self.operators)), _MISSES)
        return self.build()

    def extend(self, op: Op) -> bool:
        """Add an operator at the end; return False if it takes none of the tried first operands."""
        chosen = self._first_operand(op)
        if chosen is None:
            return False
        first, application = chosen[0], self._with_inputs(chosen[1])
        operands, types = [first], list(application.types)
        for place, operand in enumerate(application.operands, 1):
            name = self.restricted(operand) if operand.values else self._further(application, types, place)
            operands.append(name)
            types[place] = self.type(name)
        self.add(op, operands, application.attrs, self.results_on(application, operands))
        return True

    def _first_operand(self, op: Op) -> tuple[str, OperatorUse] | None:
        dtypes = op.types[op.variable(0)]
        for name in self._picked(dtypes):
            if application := self.draw(op, self.type(name)):
                return name, application
        for _ in range(_TRIES):
            t = self.random_type()
            t = t if t.dtype in dtypes else TensorType(self.rng.choice(self.inputs.dtypes_of(dtypes)), t.shape)
            if application := self.draw(op, t):
                return self.input(t), application
        return None

    def _with_inputs(self, application: OperatorUse) -> OperatorUse:
        """Draw how many operands a variadic operator has, if its attributes allow it: those in excess are alike."""
        op, attrs = application.op, application.attrs
        least, most = op.arity
        if most is not None or "*" in op.inputs:  # graphs as attributes have a fixed number of inputs
            return application
        count = self.rng.randint(least, _MOST_INPUTS)
        types = (*application.types, *[application.types[-1]] * count)[:count]
        results = self.results(op, types, attrs)
        further = tuple(map(Operand, types[1:]))
        return replace(application, operands=further, types=types, results=results) if results else application

    def _further(self, application: OperatorUse, types: Sequence[TensorType], place: int) -> str:
        """Return a value that is consistent with the operands before it, or a placeholder of the drawn type."""
        wanted = types[place]
        for name in self._picked((wanted.dtype,)):
            if self.takes(application, types, place, self.type(name)):
                return name
        return self.fresh(wanted, _CONSTANT)

    def _picked(self, dtypes: Sequence[str]) -> list[str]:
        """Return, at the picking rate, a value of each type with these element types, in random order; else none."""
        if self.rng.random() >= self._picking_rate:
            return []
        fitting = [name for name in (*self.values[:1], *self.computed) if self.type(name).dtype in dtypes]
        found: dict[TensorType, str] = {}
        for name in self.rng.sample(fitting, len(fitting)):
            found.setdefault(self.type(name), name)
        return list(found.values())
