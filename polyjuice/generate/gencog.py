"""GenCoG: graphs directed by the diversity of their vertices, a vertex being an operator with its types and attributes.

Paper 002, section 5.1 and algorithm 1. A value comes first, then one of the operators that take it, by the softmax of
how much each has lately contributed to vertex diversity (equation 6). Attributes and further operands' types are solved
for what is known of the first; operands are matched with values of these types, and what cannot be matched is a
parameter. A vertex that there is already is rejected with the probability 0.9; the others may make a new edge.

The paper's concolic solver serves its constraint language; here the entry of an operator draws what meets its
constraints (``Op.sample``). What the suite holds already, which directs the choice, is a :class:`Memory` that is given,
or the graph's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp

from polyjuice.generate.growth import Application, Growth
from polyjuice.ir import Graph, dtypes
from polyjuice.ops import Op

REJECTED = 0.9
"""Section 6.1."""

_CONSTANT = 0.7
"""How often what cannot be matched is a constant, and not an input."""

_TRIES = 200
"""How many vertices may fail one after another before the graph gets a new input, and how many inputs it may get."""


class GenCoG(Growth):
    """The choices of this strategy."""

    def graph(self, nodes: int) -> Graph:
        for _ in range(_TRIES):
            self.input(self.random_type())
            if self.grow(nodes, self.extend, _TRIES):
                break
        return self.build()

    @cached_property
    def _taking(self) -> Mapping[str, list[Op]]:
        """The operators that take a first operand of an element type."""
        return {dtype: [op for op in self.operators if op.accepts(0, dtype)] for dtype in dtypes.STORED}

    def extend(self) -> bool:
        """Try to add a vertex; False where it is not solved, or rejected."""
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
        """One of the operators that take a value first, by the softmax of their scores."""
        candidates = self._taking[self.type(first).dtype]
        if not candidates:
            return None
        weights = [exp(score) for score in self._scores(candidates)]
        return self.rng.choices(candidates, weights)[0]

    def _scores(self, candidates: Sequence[Op]) -> list[float]:
        """How much operators have contributed lately, from 0, the least of them, to 1, the most."""
        news = [self.memory.novelty(op) for op in candidates]
        least, most = min(news), max(news)
        return [(new - least) / (most - least) if most > least else 1.0 for new in news]

    def _matched(self, first: str, application: Application) -> list[str]:
        operands = [first]
        for operand in application.operands:
            if operand.values:
                operands.append(self.restricted(operand))
                continue
            matching = [name for name in self.values if self.type(name) == operand.type]
            if matching:
                operands.append(self.rng.choice(matching))
            else:
                operands.append(self.fresh(operand.type, _CONSTANT))
        return operands
