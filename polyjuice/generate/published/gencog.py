"""GenCoG: choose vertices that make a graph diverse. A vertex is an operator with its types and attributes.

Paper 002, section 5 and algorithm 1. The graph begins with one input. Each step takes a value, then one of the
operators that accept it first. The softmax of their recent contributions to vertex diversity gives their probabilities
(equation 6). The attributes and the other operands are solved for the first operand. A vertex that adds nothing to
vertex diversity is rejected with probability 0.9; those that remain may make a new edge.

The paper states each operator's constraints in a language of its own, and solves them with Z3. Here the operator's
entry states them: ``Op.sample`` draws attributes, and ``Op.shape`` says which types it takes with them. The other
operands become existing values that meet the constraints, or parameters. Only inputs and results are values that
operators take; parameters belong to one operator. The type of a parameter is solved as in section 5.2: its rank, then
each of its sizes, is drawn at random, and kept if it meets the constraints. Drawing them with the entry instead gives
few shapes, mostly those of the first operand.

As in the authors' code, a value that operators have read is drawn less often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import exp
from typing import Any

from polyjuice.generate.growth import Growth
from polyjuice.generate.instances import OperatorUse
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import Op
from polyjuice.ops.sampling import size

REJECTED = 0.9
"""The probability of rejecting a vertex that is not new (section 6.1)."""

_READ = 1
"""Each operator that reads a value makes it e times less likely to be drawn. In the authors' code it is e^4, with which
few values have several readers."""

_MOST_READS = 99
"""Further reads do not count, so that every value keeps a weight above 0."""

_PARAMETER = 0.4
"""How often an operand is a parameter although an existing value may suit."""

_CONSTANT = 0.7
"""How often a parameter is a constant rather than an input."""

_VALUES = 8
"""How many existing values are tried as an operand."""

_TRIES = 200
"""How many vertices may fail in a row before the graph gets a new input, and how many inputs it may get."""


class GenCoG(Growth):
    """The strategy "gencog"."""

    ranks = (1, 1, 1, 1, 1, 1)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._inputs: list[str] = []
        self._reads: Counter[str] = Counter()

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, or fewer if too many attempts fail."""
        for _ in range(_TRIES):
            self._inputs.append(self.input(self.random_type()))
            if self.grow(nodes, self.extend, _TRIES):
                break
        return self.build()

    @cached_property
    def _taking(self) -> Mapping[str, list[Op]]:
        return {dtype: [op for op in self.operators if op.accepts(0, dtype)] for dtype in dtypes.STORED}

    def extend(self) -> bool:
        """Try to add a vertex; return False if it has no solution or is rejected."""
        (first,) = self._some([*self._inputs, *self.computed], 1)
        op = self._operator(first)
        application = self.draw(op, self.type(first)) if op else None
        if application is None:
            return False
        op, attrs, types = application.op, application.attrs, list(application.types)
        operands = [first, *(self._operand(application, types, place) for place in range(1, len(types)))]
        results = self.results(op, types, attrs)
        if not self.memory.contributes(op, types, attrs) and self.rng.random() < REJECTED:
            return False
        for place, operand in enumerate(application.operands, 1):
            operands[place] = operands[place] or self.further(replace(operand, type=types[place]), _CONSTANT)
        self._reads.update(operands)
        self.add(op, operands, attrs, results)
        return True

    def _some(self, values: Sequence[str], count: int) -> list[str]:
        """Draw values, those that few operators read more often."""
        weights = [exp(-_READ * min(self._reads[name], _MOST_READS)) for name in values]
        return self.rng.choices(values, weights, k=count) if values else []

    def _operator(self, first: str) -> Op | None:
        """Return one of the operators that take a value first, drawn by the softmax of their scores."""
        candidates = self._taking[self.type(first).dtype]
        if not candidates:
            return None
        weights = [exp(score) for score in self._scores(candidates)]
        return self.rng.choices(candidates, weights)[0]

    def _scores(self, candidates: Sequence[Op]) -> list[float]:
        """Return how much each operator has lately contributed, scaled from 0 (least) to 1 (most)."""
        contributions = [self.memory.contribution(op) for op in candidates]
        least, most = min(contributions), max(contributions)
        return [(c - least) / (most - least) if most > least else 1.0 for c in contributions]

    def _operand(self, application: OperatorUse, types: list[TensorType], place: int) -> str:
        """Return an existing value for an operand, or "" for a new parameter. Set the operand's type in ``types``."""
        operand = application.operands[place - 1]
        if operand.values:
            return ""
        there = [*self._inputs, *self.computed] if self.rng.random() >= _PARAMETER else []
        alike = [name for name in there if self.type(name).dtype == operand.type.dtype]
        for name in self._some(alike, _VALUES):
            if self.takes(application, types, place, self.type(name)):
                types[place] = self.type(name)
                return name
        types[place] = self._solved(application, types, place)
        return ""

    def _solved(self, application: OperatorUse, types: Sequence[TensorType], place: int) -> TensorType:
        """Return a random type of an operand that meets the operator's constraints together with the other types."""
        solved = types[place]
        rank = self.rng.choice(self.inputs.ranks)
        kept = solved.shape[max(solved.rank - rank, 0) :]
        drawn = replace(solved, shape=(*self._random_shape(rank - len(kept)), *kept))
        if self.takes(application, types, place, drawn):
            solved = drawn
        for axis in range(solved.rank):
            drawn = replace(solved, shape=(*solved.shape[:axis], size(self.rng), *solved.shape[axis + 1 :]))
            if self.takes(application, types, place, drawn):
                solved = drawn
        return solved
