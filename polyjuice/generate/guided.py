"""The default strategy where it is known what a suite holds, or what other cases of a campaign look for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from polyjuice.generate.call_space import call_space
from polyjuice.generate.default import Default
from polyjuice.generate.growth import Application
from polyjuice.generate.memory import Memory, Turn, edge
from polyjuice.ir import Attrs, Graph, TensorType
from polyjuice.ops import Accepts, Op
from polyjuice.ops.sampling import FewSizes

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
    """A graph of the default strategy (see :func:`polyjuice.generate.generate`)."""
    rng = FewSizes(f"generate {seed}")
    if memory is None:
        return Default(rng, accepts, operators, partners).graph(nodes)
    kind = InCampaign if isinstance(memory, Turn) else InSuite
    return kind(rng, accepts, operators, partners, memory).graph(nodes)


class InCampaign(Default):
    """The choices of this strategy where it is known which edges are new."""

    explored = _IN_CAMPAIGNS

    def __init__(
        self,
        rng: FewSizes,
        accepts: Accepts | None,
        operators: Sequence[Op] | None,
        partners: Mapping[str, Sequence[str]] | None,
        memory: Memory,
    ) -> None:
        super().__init__(rng, accepts, operators, partners, memory)
        self._rooms = list(accumulate(call_space(op.qualified).size ** -_ROOM for op in self.operators))
        self.blocks *= 1 - self.explored

    def add(self, op: Op, operands: Sequence[str], attrs: Attrs, results: Sequence[TensorType]) -> tuple[str, ...]:
        self.memory.add(op, [self.type(name) for name in operands], attrs)
        self.memory.cover({edge(self.producers[name], op) for name in operands if name in self.producers})
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
        return bool(news) + self.memory.novelty(op), op, news[-1] if news else self.rng.choice(fitting)

    def _new(self, op: Op, values: Sequence[str]) -> list[str]:
        """The values from which there is no edge to an operator yet."""
        return [v for v in values if v in self.producers and not self.memory.covers(edge(self.producers[v], op))]

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


class InSuite(InCampaign):
    """The choices of this strategy where it is known what a suite holds: calls that are new too, on all shapes."""

    explored = _EXPLORED

    def draw(self, op: Op, first: TensorType) -> Application | None:
        application = super().draw(op, first)
        known = application and self.memory.knows_shapes(op, application.types)
        return None if known and self.rng.random() < _REJECTED else application

    def random_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        return super().random_type(dtype, self.rng.choices(range(len(_RANKS)), _RANKS)[0] if rank < 0 else rank)
