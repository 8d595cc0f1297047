"""The default strategy: valid, diverse graphs grown forward, one operator at a time, without backtracking.

Each step draws an operator by its weight and a value that it takes as first operand, asks the operator's entry for the
further operands and the attributes (``Op.sample``), and takes existing values where they fit, else new inputs or
constants. The idea of choosing operands first and attributes within their constraints is Isra's (paper 000, section
III); here graphs have inputs, all element types, and broadcasting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from polyjuice.generate import blocks
from polyjuice.generate.call_space import OPS, call_space
from polyjuice.generate.growth import Application, Growth
from polyjuice.generate.memory import Memory, Turn, edge
from polyjuice.generate.motifs import MOTIFS
from polyjuice.ir import Attrs, Graph, TensorType
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

_WIDE = 0.8
"""How often an operator is put on values of more than one element alone."""

_BLOCKS = (0.1, 0.5)
"""How often a block of operators comes before an operator: in one half of the graphs, and in the other. What crowds
others out is left out of some (Groce et al., Swarm Testing, ISSTA 2012)."""

_RENEWED = 0.05
"""How often a new input comes in before an operator, whatever values there are."""

_ATTEMPTS = 50

_FURTHER_INPUTS = 30
"""How many inputs may be added where no operator takes the values that there are."""

_EXPLORED, _IN_CAMPAIGNS = 0.9, 0.2
"""How often an operator is chosen for what is new about it: in suites, and in campaigns, which have more in mind."""

_CANDIDATES = 4
"""Among how many operators, each with a first operand."""

_ROOM = 0.6
"""How much operators are preferred that have few calls: an exponent of the number of their calls."""

_REJECTED = 0.9
"""How often a call on shapes that the suite holds is rejected: GenCoG's (paper 002, section 6.1)."""

_RANKS = (1, 2, 4, 4, 4, 4)
"""How often new inputs have each rank, there: the greater the rank, the more shapes there are."""

_RECENT = 50
"""How many of the last values are looked at."""

_OFFERED = 8
"""How many values of other types than was drawn are offered as a further operand."""


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    operators: Sequence[Op] | None = None,
    partners: Mapping[str, Sequence[str]] | None = None,
    memory: Memory | None = None,
) -> Graph:
    """A graph of this strategy (see :func:`polyjuice.generate.generate`)."""
    rng = FewSizes(f"generate {seed}")
    if memory is None:
        return _Default(rng, accepts, operators, partners or {}).graph(nodes)
    kind = _InCampaign if isinstance(memory, Turn) else _InSuite
    return kind(rng, accepts, operators, partners or {}, memory).graph(nodes)


def _broadcasts(t: TensorType, dtype: str, shape: tuple[int, ...]) -> bool:
    """Whether a value of an element type takes a shape by broadcasting, and not as it is."""
    if t.dtype != dtype or t.shape == shape or t.rank > len(shape):
        return False
    return all(size in (1, wanted) for size, wanted in zip(reversed(t.shape), reversed(shape), strict=False))


class _Default(Growth):
    """The choices of this strategy."""

    def __init__(
        self,
        rng: FewSizes,
        accepts: Accepts | None,
        operators: Sequence[Op] | None,
        partners: Mapping[str, Sequence[str]],
    ) -> None:
        super().__init__(rng, accepts, operators)
        if rng.random() < _FEW:
            rng.sizes = rng.sample(SIZES, rng.choice((2, 2, 3)))
        self._partners = partners
        self._blocks = rng.choice(_BLOCKS)
        self._weights = [op.weight for op in self.operators]

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
            self.input(self.random_type())
        return self.build()

    def _grow(self) -> bool:
        """Try to add one operator; False where this try did not fit."""
        op, first = self._next()
        application = self.draw(op, self.type(first))
        if application is None:
            return False
        operands = [first, *(self._operand(application, place) for place in range(1, len(application.types)))]
        results = self.results_on(application, operands)
        alike = op.elementwise and len(operands) == 2 and not any(o.values for o in application.operands)
        if alike and self.rng.random() < _EXCHANGED and self.results_on(application, operands[::-1]) == results:
            operands.reverse()
        if not results:
            return False
        self.add(op, operands, application.attrs, results)
        return True

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
        """An existing value of the type, or one that broadcasts as well, or a new input or constant."""
        operand = application.operands[place - 1]
        if operand.values:
            return self.restricted(operand)
        op, first = application.op, application.types[0]
        fits = [v for v in self.values if self.type(v) == operand.type]
        if op.elementwise and application.results[0].shape == first.shape and self.rng.random() < _BROADCAST:
            fits = [v for v in self.values if _broadcasts(self.type(v), operand.type.dtype, first.shape)] or fits
        if fits and self.rng.random() < _REUSED:
            return self.rng.choice(fits)
        spread = op.elementwise and operand.type.rank < first.rank
        return self.fresh(operand.type, _SPREAD if spread else _CONSTANT)


class _InCampaign(_Default):
    """The choices of this strategy where it is known which edges are new."""

    explored = _IN_CAMPAIGNS

    def __init__(
        self,
        rng: FewSizes,
        accepts: Accepts | None,
        operators: Sequence[Op] | None,
        partners: Mapping[str, Sequence[str]],
        memory: Memory,
    ) -> None:
        super().__init__(rng, accepts, operators, partners)
        self._memory = memory
        self._rooms = list(accumulate(call_space(op.qualified).size ** -_ROOM for op in self.operators))
        self._blocks *= 1 - self.explored

    def add(self, op: Op, operands: Sequence[str], attrs: Attrs, results: Sequence[TensorType]) -> tuple[str, ...]:
        self._memory.add(op, [self.type(name) for name in operands], attrs)
        self._memory.cover({edge(self.producers[name], op) for name in operands if name in self.producers})
        return super().add(op, operands, attrs, results)

    def _next(self) -> tuple[Op, str]:
        if self.rng.random() >= self.explored:
            return super()._next()
        best = max((self._candidate() for _ in range(_CANDIDATES)), key=lambda candidate: candidate[0])
        return best[1:]

    def _candidate(self) -> tuple[float, Op, str]:
        """An operator and a first operand, after how much would be new about them."""
        op = self.rng.choices(self.operators, cum_weights=self._rooms)[0]
        taken = op.types[op.variable(0)]
        fitting = [v for v in self.values[-_RECENT:] if self.type(v).dtype in taken]
        if not fitting:
            return -1.0, op, self.values[-1]
        news = self._new(op, fitting)
        # The last one, which has the longest paths behind it.
        return bool(news) + self._memory.novelty(op), op, news[-1] if news else self.rng.choice(fitting)

    def _new(self, op: Op, values: Sequence[str]) -> list[str]:
        """The values from which there is no edge to an operator yet."""
        return [v for v in values if v in self.producers and not self._memory.covers(edge(self.producers[v], op))]

    def _operand(self, application: Application, place: int) -> str:
        """A value of the operand's type, or one that will do as well, if the edge from it is new."""
        wanted = application.types[place]
        there = [v for v in self.computed[-_RECENT:] if self.type(v).dtype == wanted.dtype]
        new = self._new(application.op, there) if not application.operands[place - 1].values else []
        if same := [v for v in new if self.type(v) == wanted]:
            return self.rng.choice(same)
        for value in self.rng.sample(new, min(len(new), _OFFERED)):
            if self.takes(application, application.types, place, self.type(value)):
                return value
        return super()._operand(application, place)


class _InSuite(_InCampaign):
    """The choices of this strategy where it is known what a suite holds: calls that are new too, on all shapes."""

    explored = _EXPLORED

    def draw(self, op: Op, first: TensorType) -> Application | None:
        application = super().draw(op, first)
        known = application and self._memory.knows_shapes(op, application.types)
        return None if known and self.rng.random() < _REJECTED else application

    def random_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        return super().random_type(dtype, self.rng.choices(range(len(_RANKS)), _RANKS)[0] if rank < 0 else rank)
