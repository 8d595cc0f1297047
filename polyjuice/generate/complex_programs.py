"""Small programs of complex numbers, which begin at complex inputs or join floating ones, and compute with them.

Compilers handle a complex tensor through its real view, or leave it to the framework. The bits that mark a tensor as
conjugated or negated must survive views, copies and writes. So most operators here are conjugates, parts and views of
complex numbers, with a little arithmetic between. Some programs write into a complex input.
"""

from __future__ import annotations

from polyjuice.generate.statements import Statements
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import TABLE, primitives

_OPERATORS = {2: 2, 3: 3, 4: 3, 5: 2, 6: 1}
"""The weight of each number of operators in a program."""

_GIVEN, _PAIRED = 0.45, 0.65
"""Thresholds for one random number. Below the first, a program begins with a complex input; below the second, with two
floating inputs as real and imaginary part. Other programs view the last dimension of a floating input as pairs."""

_MOVED, _CHOSEN, _ANY = 0.25, 0.05, 0.12
"""How often an operator moves complex elements, chooses among them, or is any operator on any value."""

_UPDATED = 0.35
"""How often a program that has a complex input writes into it."""

_TRIALS = 40

_COMPLEX64 = "complex64"


class ComplexPrograms(Statements):
    """The strategy "complex". The caller must name operators of complex numbers."""

    def graph(self, nodes: int) -> Graph:
        """Return a program of at most ``nodes`` operators. It has none if no operator of complex numbers is named."""
        rng = self.rng
        self._begin(nodes)
        self._kept = self.random_type(_COMPLEX64)
        wanted = min(max(nodes, 2), rng.choices(list(_OPERATORS), list(_OPERATORS.values()))[0])
        self._first()
        while self._of_complex and len(self) < wanted and any(self._step() for _ in range(_TRIALS)):
            pass
        has_input = any(name not in self.computed for name in self._alike(self.values))
        return self._updated() if has_input and rng.random() < _UPDATED else self.build()

    def _first(self) -> None:
        chance, parts = self.rng.random(), TensorType("float32", self._kept.shape)
        if chance < _GIVEN:
            self.input(self._kept)
        elif chance < _PAIRED:
            self.apply(TABLE["aten", primitives.COMPLEX], [self.input(parts), self.input(parts)], {})
        else:
            pairs = self.input(TensorType("float32", (*parts.shape[:4], 2)))
            self.apply(TABLE["aten", primitives.VIEW_AS_COMPLEX], [pairs], {})

    def _step(self) -> bool:
        rng = self.rng
        chance = rng.random()
        complex_values = [name for name in self.values if self.type(name).dtype == _COMPLEX64]
        if not complex_values or chance < _ANY:
            return self._grow()
        z = rng.choice(complex_values[-3:])
        if chance < _ANY + _CHOSEN:
            condition = self.fresh(TensorType("bool", self.type(z).shape), 0.3)
            w = rng.choice([name for name in complex_values if self.type(name) == self.type(z)])
            return bool(self.apply(TABLE["", primitives.WHERE], [condition, z, w], {}))
        moving = chance < _ANY + _CHOSEN + _MOVED
        pool = [op for op in (self.operators if moving else self._of_complex) if op.accepts(0, _COMPLEX64)]
        if not pool:
            return False
        application = self.draw(rng.choices(pool, [op.weight for op in pool])[0], self.type(z))
        return application is not None and bool(self._put(application, z))
