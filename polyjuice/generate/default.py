"""The default strategy: valid, diverse graphs grown forward, one operator at a time, without backtracking.

Each step draws an operator by its weight and a value that it takes as first operand, asks the operator's entry for the
further operands and the attributes (``Op.sample``), and takes existing values where they fit, else new inputs or
constants. The idea of choosing operands first and attributes within their constraints is Isra's (paper 000, section
III); here graphs have inputs, all element types, and broadcasting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyjuice.generate import blocks
from polyjuice.generate.call_space import OPS
from polyjuice.generate.growth import ANY_INPUTS, Application, Growth, InputTypes
from polyjuice.generate.memory import Memory
from polyjuice.generate.motifs import MOTIFS
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import Accepts, Op
from polyjuice.ops.sampling import SIZES, FewSizes

_REUSED, _CONSTANT, _SPREAD = 0.6, 0.45, 0.65
"""How often an operand is a value that there is, if one fits; and how often a new one is a constant rather than an
input, and how often one that is broadcast is."""

_PARTNERED, _FUSED, _AGAIN = 0.25, 0.35, 0.1
"""How often an operator is chosen as a partner of one before it: by the rules, by what compilers look for, and as the
same operator once more, for two in a row are often merged."""

_LED = _PARTNERED + _FUSED + _AGAIN

_EXCHANGED = 0.4
"""How often two operands of one type are taken the other way round."""

_BROADCAST = 0.4
"""How often a value that broadcasts is preferred to one of the operand's type, where there is one."""

_FEW = 0.5
"""How often most dimensions of a graph have one of two or three sizes."""

_FOCUSED, _FOCUS = 0.5, 4.0
"""How often a graph has an element type of its choice, and how much oftener its inputs then are of that type than of
any other. Compilers go wrong where two operators of one rare type meet, which all types alike seldom brings about."""

_WIDE = 0.8
"""How often an operator is put on values of more than one element alone."""

_BLOCKS = (0.1, 0.5)
"""How often a block of operators comes before an operator: in one half of the graphs, and in the other. What crowds
others out is left out of some (Groce et al., Swarm Testing, ISSTA 2012)."""

_RENEWED = 0.05
"""How often a new input comes in before an operator, whatever values there are."""

_LEAST = 0.5
"""The least weight of an operator: all of the forms of a rare one are to occur, too."""

_ATTEMPTS = 50

_FURTHER_INPUTS = 30
"""How many inputs may be added where no operator takes the values that there are."""


def _broadcasts(t: TensorType, dtype: str, shape: tuple[int, ...]) -> bool:
    """Whether a value of an element type takes a shape by broadcasting, and not as it is."""
    if t.dtype != dtype or t.shape == shape or t.rank > len(shape):
        return False
    return all(size in (1, wanted) for size, wanted in zip(reversed(t.shape), reversed(shape), strict=False))


class Default(Growth):
    """The choices of this strategy."""

    explored = 0.0
    """How often an operator is chosen for what is new about it."""

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
            # Of any type alike: there may be no operator for the one of the graph's choice.
            self.input(self.random_type(self.rng.choice(list(self._dtypes))))
        return self.build()

    def _grow(self) -> bool:
        """Try to add one operator; False where this try did not fit."""
        op, first = self._next()
        application = self.draw(op, self.type(first))
        return application is not None and bool(self._put(application, first))

    def _put(self, application: Application, first: str) -> tuple[str, ...]:
        """Apply an operator as it was drawn for a value; its results, none where the other operands do not fit."""
        operands = [first, *(self._operand(application, place) for place in range(1, len(application.types)))]
        results = self.results_on(application, operands)
        if self._exchanges(application) and self.results_on(application, operands[::-1]) == results:
            operands.reverse()
        return self.add(application.op, operands, application.attrs, results) if results else ()

    def _exchanges(self, application: Application) -> bool:
        """Whether the two operands of an elementwise operator are to be taken the other way round."""
        alike = application.op.elementwise and len(application.types) == 2
        return alike and not application.operands[0].values and self.rng.random() < _EXCHANGED

    def _next(self) -> tuple[Op, str]:
        """An operator and its first operand: often a partner of the operator that made it."""
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
        # Recent values first, so that graphs are deep as well as wide.
        return op, rng.choice(fitting[-4:] if rng.random() < 0.6 else fitting)

    def _wide(self, values: list[str]) -> list[str]:
        """Mostly those of more than one element: others keep compilers busy, but hide what they confuse."""
        wide = [v for v in values if self.type(v).size > 1]
        return wide if wide and self.rng.random() < _WIDE else values

    def _operand(self, application: Application, place: int) -> str:
        """An existing value, or a new input or constant."""
        return self._existing(application, place) or self._new_operand(application, place)

    def _existing(self, application: Application, place: int) -> str:
        """A value of the type, or one that broadcasts as well; none now and then, or where only some values will do."""
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

    def _new_operand(self, application: Application, place: int) -> str:
        """A new input or constant of the type that was drawn."""
        operand = application.operands[place - 1]
        if operand.values:
            return self.restricted(operand)
        spread = application.op.elementwise and operand.type.rank < application.types[0].rank
        return self.fresh(operand.type, _SPREAD if spread else _CONSTANT)
