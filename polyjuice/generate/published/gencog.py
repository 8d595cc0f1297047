"""GenCoG: choose vertices that make a graph diverse. A vertex is an operator with its types and attributes.

Paper 002, section 5.1 and algorithm 1. First comes a value, then one of the operators that take it. Operators are drawn
by the softmax of their recent contribution to vertex diversity (equation 6). The attributes and the other operands'
types are solved for the first operand. Operands are existing values of these types, else new parameters. A known vertex
is rejected with probability 0.9; those that remain may make a new edge.

The paper's concolic solver serves its constraint language. Here the operator's entry draws attributes and types that
meet its constraints (``Op.sample``). The caller's :class:`Memory` holds what the suite has already; without one, the
graph keeps its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp

from polyjuice.generate.growth import Growth
from polyjuice.generate.instances import OperatorUse
from polyjuice.ir import Graph, dtypes
from polyjuice.ops import Op

REJECTED = 0.9
"""The probability of rejecting a known vertex (section 6.1)."""

_CONSTANT = 0.7
"""How often a new parameter is a constant rather than an input."""

_TRIES = 200
"""How many vertices may fail in a row before the graph gets a new input, and how many inputs it may get."""


class GenCoG(Growth):
    """The strategy "gencog"."""

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, or fewer if too many attempts fail."""
        for _ in range(_TRIES):
            self.input(self.random_type())
            if self.grow(nodes, self.extend, _TRIES):
                break
        return self.build()

    @cached_property
    def _taking(self) -> Mapping[str, list[Op]]:
        return {dtype: [op for op in self.operators if op.accepts(0, dtype)] for dtype in dtypes.STORED}

    def extend(self) -> bool:
        """Try to add a vertex; return False if it has no solution or is rejected."""
        first = self.rng.choice(self.values)
        op = self._operator(first)
        application = self.draw(op, self.type(first)) if op else None
        if application is None:
            return False
        call = (application.op, application.types, application.attrs)
        if self.memory.knows(*call) and self.rng.random() < REJECTED:
            return False
        self.memory.add(*call)
        self.add(application.op, self._matched(first, application), application.attrs, application.results)
        return True

    def _operator(self, first: str) -> Op | None:
        """Return one of the operators that take a value first, drawn by the softmax of their scores."""
        candidates = self._taking[self.type(first).dtype]
        if not candidates:
            return None
        weights = [exp(score) for score in self._scores(candidates)]
        return self.rng.choices(candidates, weights)[0]

    def _scores(self, candidates: Sequence[Op]) -> list[float]:
        """Return how much each operator has lately contributed, scaled from 0 (least) to 1 (most)."""
        news = [self.memory.novelty(op) for op in candidates]
        least, most = min(news), max(news)
        return [(new - least) / (most - least) if most > least else 1.0 for new in news]

    def _matched(self, first: str, application: OperatorUse) -> list[str]:
        operands = [first]
        for operand in application.operands:
            matching = [name for name in self.values if self.type(name) == operand.type and not operand.values]
            operands.append(self.rng.choice(matching) if matching else self.further(operand, _CONSTANT))
        return operands
