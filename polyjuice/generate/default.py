"""The default strategy: valid, diverse graphs that grow forward, one operator at a time, without backtracking.

Each step draws an operator by its weight, and an existing value as its first operand. The operator's entry then samples
the further operands and the attributes (``Op.sample``). Operands are existing values where they fit, else new inputs or
constants. Isra also chooses operands first and attributes within their constraints (Isra, section III). Unlike
Isra, graphs here have inputs, all element types, and broadcasting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyjuice.generate import blocks
from polyjuice.generate.call_space import OPS
from polyjuice.generate.growth import ANY_INPUTS, Growth, InputTypes
from polyjuice.generate.instances import OperatorUse
from polyjuice.generate.suite_record import Memory
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Accepts, Op
from polyjuice.ops.sampling import SIZES, FewSizes

MOTIFS: Mapping[str, tuple[str, ...]] = {
    op.qualified: tuple(op.followers.split()) for op in OPS.values() if op.followers
}
"""For each operator, those that compilers fuse, exchange or simplify with it when they take its result."""

_REUSED, _CONSTANT, _SPREAD = 0.6, 0.45, 0.65
"""Three probabilities: that an operand is an existing value, if one fits; that a new operand is a constant rather than
an input; and the same for a new operand that is broadcast."""

_PARTNERED, _FUSED, _AGAIN = 0.25, 0.35, 0.1
"""How often an operator is a partner of an earlier one: by the rewrite rules, by the patterns of compilers, and as the
same operator again, because compilers often merge two in a row."""

_LED = _PARTNERED + _FUSED + _AGAIN

_EXCHANGED = 0.4
"""How often two operands of one type exchange places."""

_BROADCAST = 0.4
"""How often an operand is a value that broadcasts, if one exists, rather than one of exactly the operand's type."""

_FEW = 0.5
"""How often most dimensions of a graph have one of two or three sizes."""

_FOCUSED, _FOCUS = 0.5, 4.0
"""How often a graph prefers one element type, and how much oftener its inputs then have that type than any other.
Compilers fail where two operators of one rare type meet, which rarely happens if all types are equally frequent."""

_WIDE = 0.8
"""How often an operator takes only values of more than one element."""

_BLOCKS = (0.1, 0.5)
"""How often a block of operators comes before an operator: one rate for half of the graphs, one for the other half.
Leaving out features that crowd out others finds more (Groce et al., Swarm Testing, ISSTA 2012)."""

_RENEWED = 0.05
"""How often a new input is added before an operator, whatever values exist."""

_LEAST = 0.5
"""The least weight of an operator, so that all forms of a rare operator occur too."""

_ATTEMPTS = 50

_FURTHER_INPUTS = 30
"""How many inputs may be added when no operator takes the existing values."""


def _broadcasts(t: TensorType, dtype: str, shape: tuple[int, ...]) -> bool:
    if t.dtype != dtype or t.shape == shape or t.rank > len(shape):
        return False
    return all(size in (1, wanted) for size, wanted in zip(reversed(t.shape), reversed(shape), strict=False))


class Default(Growth):
    """The strategy "default"."""

    explored = 0.0
    """How often an operator is chosen for its new edges or its new vertex."""

    def __init__(
        self,
        rng: FewSizes,
        accepts: Accepts | None,
        operators: Sequence[Op] | None,
        memory: Memory | None = None,
        inputs: InputTypes = ANY_INPUTS,
        partners: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(rng, accepts, operators, memory, inputs)
        if rng.random() < _FEW and not inputs.sizes:
            rng.sizes = rng.sample(SIZES, rng.choice((2, 2, 3)))
        if rng.random() < _FOCUSED * (1 - self.explored):
            self._dtypes[rng.choice(list(self._dtypes))] = _FOCUS * sum(self._dtypes.values())
        self._partners = partners or {}
        self._blocks = rng.choice(_BLOCKS) * (1 - self.explored)
        self._weights = [max(op.weight, _LEAST) for op in self.operators]

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, or fewer if none fits any more."""
        for _ in range(self.rng.randint(1, 3)):
            self.input(self.random_type())
        further = _FURTHER_INPUTS
        while len(self) < nodes:
            if self.rng.random() < _RENEWED:
                self.input(self.random_type())
            if self.rng.random() < self._blocks:
                blocks.build(self, nodes)
                continue
            if any(self._grow() for _ in range(_ATTEMPTS)):
                continue
            if not further:
                break
            further -= 1
            # All types alike: there may be no operator for the type that the graph prefers.
            self.input(self.random_type(self.rng.choice(list(self._dtypes))))
        return self.build()

    def _grow(self) -> bool:
        op, first = self._next()
        application = self.draw(op, self.type(first))
        return application is not None and bool(self._put(application, first))

    def _put(self, application: OperatorUse, first: str) -> tuple[str, ...]:
        operands = [first, *(self._operand(application, place) for place in range(1, len(application.types)))]
        results = self.results_on(application, operands)
        if self._exchanges(application) and self.results_on(application, operands[::-1]) == results:
            operands.reverse()
        return self.add(application.op, operands, application.attrs, results) if results else ()

    def _exchanges(self, application: OperatorUse) -> bool:
        alike = application.op.elementwise and len(application.types) == 2
        return alike and not application.operands[0].values and self.rng.random() < _EXCHANGED

    def _next(self) -> tuple[Op, str]:
        rng = self.rng
        chance = rng.random()
        recent = self._wide(self.computed[-6:])
        if recent and chance < _AGAIN:
            first = rng.choice(recent)
            return OPS[self.producers[first]], first
        partners = self._partners if chance < _AGAIN + _PARTNERED else MOTIFS if chance < _LED else {}
        made = [v for v in recent if self.producers[v] in partners]
        if made:
            first = rng.choice(made)
            return OPS[rng.choice(partners[self.producers[first]])], first
        op = rng.choices(self.operators, self._weights)[0]
        fitting = self._wide([v for v in self.values if op.accepts(0, self.type(v).dtype)] or self.values)
        # Prefer recent values, so that graphs are deep and not only wide.
        return op, rng.choice(fitting[-4:] if rng.random() < 0.6 else fitting)

    def _wide(self, values: list[str]) -> list[str]:
        """Mostly return only the values of more than one element. Smaller values hide compiler bugs."""
        wide = [v for v in values if self.type(v).size > 1]
        return wide if wide and self.rng.random() < _WIDE else values

    def _operand(self, application: OperatorUse, place: int) -> str:
        return self._existing(application, place) or self._new_operand(application, place)

    def _existing(self, application: OperatorUse, place: int) -> str:
        """Empty if no value fits, if the operand takes only some values, or sometimes at random."""
        operand = application.operands[place - 1]
        if operand.values:
            return ""
        op, first = application.op, application.types[0]
        fits = [v for v in self.values if self.type(v) == operand.type]
        if op.elementwise and application.results[0].shape == first.shape and self.rng.random() < _BROADCAST:
            fits = [v for v in self.values if _broadcasts(self.type(v), operand.type.dtype, first.shape)] or fits
        if fits and self.rng.random() < _REUSED:
            return self.rng.choice(fits)
        return ""

    def _new_operand(self, application: OperatorUse, place: int) -> str:
        operand = application.operands[place - 1]
        spread = application.op.elementwise and operand.type.rank < application.types[0].rank
        return self.further(operand, _SPREAD if spread else _CONSTANT)
