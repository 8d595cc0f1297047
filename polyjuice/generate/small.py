"""Small programs of one to four operators, or a block of up to six. The schedule chooses the first operator and size.

Among 50 published wrong results of Inductor from one year, 45 need at most three operators. They also need a rare
element type, size, layout or form. In a large random graph these hardly ever meet. So each program holds the operator
and the element type that are due (see :mod:`polyjuice.generate.due`). The next operator is due, too: in half of the
programs it is any operator, in the others one that rules or compilers look for there, or a block of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.generate import blocks
from polyjuice.generate.call_space import OPS
from polyjuice.generate.default import MOTIFS, Default
from polyjuice.generate.growth import InputTypes
from polyjuice.generate.instances import OperatorUse
from polyjuice.generate.suite_record import Turn
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import Accepts, Op, primitives
from polyjuice.ops.sampling import FewSizes

SIZE_CLASSES: Mapping[str, Sequence[int]] = {
    "one": (1,),
    "short": (2, 3, 4, 5, 6),
    "odd": (3, 5, 7, 9, 11, 13),
    "vector": (7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65),
    "long": range(200, 600),
}
"""The sizes of the longest dimension. Vectorised loops change at multiples of the vector width, and with the tail."""

_EMPTY, _THIN = 0.02, 0.1
"""How often one dimension is 0, whatever the class, and how often it is 1 while all others are larger."""

_ALL_DIMENSIONS = ("one", "short", "odd")
"""The classes whose sizes apply to all dimensions."""

_OTHERS = (1, 2, 3, 4)
"""The sizes of the other dimensions in the other classes."""


def size_classes(shape: Sequence[int]) -> list[str]:
    """Return the classes that a shape can belong to; a scalar has none."""
    longest = max(shape, default=0)
    others = set(shape) - {longest} <= {*_OTHERS} and (longest in _OTHERS or shape.count(longest) == 1)
    return [
        name
        for name, sizes in SIZE_CLASSES.items()
        if shape and ({*shape} <= {*sizes} if name in _ALL_DIMENSIONS else longest in sizes and others)
    ]


_OPERATORS = {1: 4, 2: 3, 3: 2, 4: 1}
"""The weight of each number of operators in a program."""

MOST_OPERATORS = max(_OPERATORS)
"""The most operators of a program without a block."""

_PATTERNED, _BLOCK = 0.5, 0.5
"""How often rules or compilers look for the next operators, and how often these are a block."""

_BLOCK_OPERATORS = 6
"""The most operators of a program with a block: attention has five, and so has a quantized convolution."""

_NEAR_MISS = 0.4
"""How often a block has one permutation, axis or scale that differs from the pattern."""

_FOLDED = 0.08
"""How often the due operator takes only constants, which compilers fold."""

_COUNTED, _STARTS, _WIDTHS = 0.4, (0, 0, 0, 1, 3, -1, -3, -6), (1, 1, 1, 2, 3, -1)
"""How often such a constant counts, where it starts, and its steps: programs make it by ``arange``."""

_BOUNDARY = 0.12
"""How often the elements of a constant are integers at the ends of a type's range."""

_STEPS = 0.3
"""How often such a constant holds numbers in order instead, with such an integer as step."""

_FAR_APART = 0.5
"""How often an int64 constant holds numbers in order, so far apart that some do not fit in 32 bits."""

_FAR = (10**6, 2**24, 10**8, 2**28, 10**9, 2**30, 2**31 - 1, -(10**9), -(2**31))
"""The steps between such numbers; a step itself fits in 32 bits."""

_SIZED = 19
"""In how many turns the due operator reads a value of known size before it reads one of unknown size."""

_FOLLOWS = 0.7
"""How often a further operator reads a value of unknown size where there is one."""

_CAST = 0.1
"""How often an operand is an input of another element type, and cast: compilers move, merge and drop casts."""

_TWIN = 0.07
"""How often an operator is applied again to the same value, in another way: compilers merge equal applications."""

_SHOWN = 0.5
"""How often a result that an operator reads is also an output."""

_LAST = 0.7
"""How often the longest dimension is the last one."""

_TRIALS = 40


class Small(Default):
    """The strategy "small"."""

    def __init__(
        self,
        rng: FewSizes,
        accepts: Accepts | None,
        operators: Sequence[Op] | None,
        memory: Turn,
        inputs: InputTypes,
        partners: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(rng, accepts, operators, memory, inputs, partners)
        self._dtypes = dict.fromkeys(self._dtypes, 1.0)
        everything = set(self._dtypes) == set(dtypes.ALL)
        self._begins_with = dtypes.EVERY if everything else tuple(self._dtypes)
        (self._due,) = memory.due(self.operators, 1)

    def graph(self, nodes: int) -> Graph:
        """Return a program of at most ``nodes`` operators. It lacks the due operator if that is not allowed."""
        rng = self.rng
        self._begin(nodes)
        self._patterned = rng.random() < _PATTERNED
        self._folded = rng.random() < _FOLDED
        self._neighbours = [self._due.level("neighbour", self.operators)]
        wanted = min(nodes, rng.choices(list(_OPERATORS), list(_OPERATORS.values()))[0])
        self._start()
        if wanted > 1 and self._patterned and rng.random() < _BLOCK:
            blocks.build(self, min(nodes, _BLOCK_OPERATORS), _NEAR_MISS)
        while len(self) < wanted and self.values and any(self._grow() for _ in range(_TRIALS)):
            pass
        return self.build()

    def _begin(self, nodes: int) -> None:
        self._most = nodes
        self._size_class = self._due.level("size", list(SIZE_CLASSES))
        self._folded = False
        self._applied: list[tuple[Op, str]] = []

    def _start(self) -> None:
        """Put the due operator on new values, or any other operator if that is not allowed."""
        if self._due.level("operand of unknown size", [True, *[False] * _SIZED]) and self._start_open():
            return
        for trial in range(3 * _TRIALS):
            op, dtype = self._due.op, self._due.dtype
            if trial >= _TRIALS or dtype not in self._begins_with:
                op = self.rng.choice(self.operators)
                dtype = self.rng.choice(self.inputs.dtypes_of(op.types[op.variable(0)]))
            t = self.random_type(dtype)
            if (application := self.draw(op, t)) and self._put(application, self.fresh(t, self._folded)):
                self._folded = False
                return
        self._folded = False
        self.input(self.random_type())

    def _start_open(self) -> bool:
        """Put the due operator on a value of unknown size. Return whether both operators are allowed."""
        dtype = self._due.dtype
        deciding = [op for op in self.operators if op.data_dependent and op.accepts(0, dtype)]
        t = self.random_type(dtype) if dtype in self._begins_with else None
        first = self.draw(self.rng.choice(deciding), t) if t and deciding else None
        if not (t and first and self._put(first, self.fresh(t, 0.0))):
            return False
        return any(
            self.type(name).dtype == dtype
            and (application := self.draw(self._due.op, self.type(name)))
            and self._put(application, name)
            for _ in range(_TRIALS)
            for name in self.open
        )

    def _put(self, application: OperatorUse, first: str) -> tuple[str, ...]:
        results = super()._put(application, first)
        if results:
            self._applied.append((application.op, first))
        return results

    def fresh(self, t: TensorType, constant: float) -> str:
        fits = constant < 1 and len(self) + 2 <= self._most  # the cast and the operator that reads it
        value = self._cast_to(t) if fits and self.rng.random() < _CAST else ""
        return value or super().fresh(t, constant)

    def _cast_to(self, t: TensorType) -> str:
        """Add an input of another element type, cast to ``t``; "" if that is not allowed."""
        cast, attrs = OPS[primitives.CAST], {"to": t.dtype}
        others = [replace(t, dtype=dtype) for dtype in self._dtypes if dtype != t.dtype and cast.accepts(0, dtype)]
        allowed = [other for other in others if self.results(cast, [other], attrs)] if cast.accepts(0, t.dtype) else []
        return self.apply(cast, [self.input(self.rng.choice(allowed))], attrs)[0] if allowed else ""

    def _operand(self, application: OperatorUse, place: int) -> str:
        operand = application.operands[place - 1]
        if self._folded and not operand.values:
            return self.constant(operand.type)
        return super()._operand(application, place)

    def _next(self) -> tuple[Op, str]:
        """Return an operator on an existing result: the due neighbour, or one that rules or compilers look for."""
        rng = self.rng
        if self._applied and rng.random() < _TWIN:
            return rng.choice(self._applied)
        recent = self._wide(self.computed) or self.values
        first = rng.choice(self.open if self.open and rng.random() < _FOLLOWS else recent)
        looked_for = rng.choice((self._partners, MOTIFS)).get(self.producers.get(first, ""), ())
        if self._patterned and looked_for:
            return OPS[rng.choice(looked_for)], first
        if self._neighbours:
            return self._neighbours.pop(), first
        return self._any_on(first), first

    def _any_on(self, first: str) -> Op:
        taking = [op for op in self.operators if op.accepts(0, self.type(first).dtype)]
        return self.rng.choice(taking or self.operators)

    def _random_shape(self, rank: int) -> tuple[int, ...]:
        sizes = SIZE_CLASSES[self._size_class]
        if self.inputs.sizes or not rank:
            return super()._random_shape(rank)
        if self._size_class in _ALL_DIMENSIONS:
            shape = [self.rng.choice(sizes) for _ in range(rank)]
        else:
            shape = [self.rng.choice(_OTHERS) for _ in range(rank)]
            shape[-1 if self.rng.random() < _LAST else self.rng.randrange(rank)] = self.rng.choice(sizes)
        chance = self.rng.random()
        if chance < _EMPTY + _THIN:
            shape[self.rng.randrange(rank)] = 0 if chance < _EMPTY else 1
        return tuple(shape)

    def _array(self, t: TensorType) -> np.ndarray:
        if dtypes.is_complex(t.dtype):
            return super()._array(t)
        if self._folded and t.dtype not in ("bool", *dtypes.NARROW) and self.rng.random() < _COUNTED:
            start, width = self.rng.choice(_STARTS), self.rng.choice(_WIDTHS)
            return (start + width * np.arange(t.size)).reshape(t.shape).astype(dtypes.to_numpy(t.dtype))
        far = [step for step in _FAR if 2**31 <= abs(step) * (t.size - 1) < 2**62]
        if t.dtype == "int64" and far and self.rng.random() < _FAR_APART:
            return np.arange(t.size).reshape(t.shape) * self.rng.choice(far)
        if t.dtype == "bool" or self.rng.random() >= _BOUNDARY:
            return super()._array(t)
        chosen = self.rng.choices(dtypes.boundary_integers(t.dtype), k=2)
        step, (_, high) = chosen[0], dtypes.exact_integers(t.dtype)
        if t.rank == 1 and abs(step) * (t.size - 1) <= high and self.rng.random() < _STEPS:
            return np.array([place * step for place in range(t.size)], dtypes.to_numpy(t.dtype))
        return np.asarray(self._generator().choice(np.array(chosen, dtypes.to_numpy(t.dtype)), t.shape))

    def _shown(self, name: str) -> float:
        return _SHOWN
