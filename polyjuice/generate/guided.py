"""The default strategy, guided by what a suite holds, or by what each case of a campaign should look for.

An application can be new by an edge, or by its vertex: the call with its types and attributes (GenCoG, section 5.1).
The operands determine the vertex, so the strategy chooses the operands before it judges the vertex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from polyjuice.generate.default import Default
from polyjuice.generate.instances import OperatorUse
from polyjuice.generate.suite_record import Turn, edge
from polyjuice.ir import Attrs, Graph, TensorType
from polyjuice.ops import Op

_EXPLORED, _IN_CAMPAIGNS = 0.9, 0.3
"""How often an operator is chosen because it is new, in suites and in campaigns. Campaigns have other goals too."""

_CANDIDATES = 4
"""How many operators, each with a first operand, compete in one step."""

_REJECTED = 0.9
"""How often an operator is given up if it gave only known vertices. The value is GenCoG's (section 6.1)."""

_DRAWS = 4
"""How many vertices are drawn on one first operand to find a new one."""

_TYPES = 3
"""How many types compete for a new input."""

_NEWEST = 2
"""The score of an operator and a first operand with a new edge and probably a new vertex."""

_DUE = 0.5
"""The share of a case's operators that are due, each on an element type."""

_TRIALS = 8
"""How many values are drawn for a due operator to find one that it takes."""

_ON_EXISTING = 0.9
"""How often a due operator takes an existing value of the type, if there is one, rather than a new input."""

_EXPOSED = 0.5
"""How often the result of a due operator is an output although others read it, because they may hide a wrong value."""

_RECENT = 50
"""How many of the last values are considered."""

_OFFERED = 8
"""How many values of other types than the drawn one are tried as a further operand."""


class _Guided(Default):
    """The choices that suites and campaigns share: both know which edges are new."""

    def add(self, op: Op, operands: Sequence[str], attrs: Attrs, results: Sequence[TensorType]) -> tuple[str, ...]:
        self._remember(op, [self.type(name) for name in operands], attrs)
        self.memory.cover({edge(self.producers[name], op) for name in operands if name in self.producers})
        return super().add(op, operands, attrs, results)

    def _remember(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        raise NotImplementedError

    def _newest(self) -> tuple[Op, str]:
        raise NotImplementedError

    def _next(self) -> tuple[Op, str]:
        return self._newest() if self.rng.random() < self.explored else super()._next()

    @cached_property
    def _preferences(self) -> list[float]:
        """The cumulative weights by which operators become candidates."""
        return list(accumulate(map(self.memory.vertices.preference, self.operators)))

    def _candidate(self) -> Op:
        return self.rng.choices(self.operators, cum_weights=self._preferences)[0]

    def _new_edges(self, op: Op, values: Sequence[str]) -> list[str]:
        return [v for v in values if v in self.producers and not self.memory.covers(edge(self.producers[v], op))]

    def _existing(self, application: OperatorUse, place: int) -> str:
        wanted = application.types[place]
        there = [v for v in self.computed[-_RECENT:] if self.type(v).dtype == wanted.dtype]
        new = self._new_edges(application.op, there) if not application.operands[place - 1].values else []
        if same := [v for v in new if self.type(v) == wanted]:
            return self.rng.choice(same)
        for value in self.rng.sample(new, min(len(new), _OFFERED)):
            if self.takes(application, application.types, place, self.type(value)):
                return value
        return super()._existing(application, place)


class InCampaign(_Guided):
    """The strategy in a campaign, where each case has edges, and operators on types, that it should look for."""

    explored = _IN_CAMPAIGNS
    memory: Turn

    def graph(self, nodes: int) -> Graph:
        """Return a graph of ``nodes`` operators, of which up to half are due."""
        self._due = self.memory.due(self.operators, round(_DUE * nodes))
        self._exposed: set[str] = set()
        return super().graph(nodes)

    def _grow(self) -> bool:
        if self._due and self.rng.random() < _DUE:
            one = self._due.pop()
            return self._grow_due(one.op, one.dtype)
        return super()._grow()

    def _grow_due(self, op: Op, dtype: str) -> bool:
        for _ in range(_TRIALS):
            there = [v for v in self.values[-_RECENT:] if self.type(v).dtype == dtype]
            first = self.rng.choice(self._wide(there)) if there and self.rng.random() < _ON_EXISTING else ""
            t = self.type(first) if first else self.random_type(dtype)
            if application := self.draw(op, t):
                results = self._put(application, first or self.input(t))
                self._exposed.update(results)
                if results:
                    return True
        return False

    def _shown(self, name: str) -> float:
        return _EXPOSED if name in self._exposed else super()._shown(name)

    def _remember(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        self.memory.add(op, types, attrs)

    def _newest(self) -> tuple[Op, str]:
        best = max((self._scored() for _ in range(_CANDIDATES)), key=lambda scored: scored[0])
        return best[1:]

    def _scored(self) -> tuple[float, Op, str]:
        """Return how new an operator and a first operand would be, and the two."""
        op = self._candidate()
        taken = op.types[op.variable(0)]
        fitting = [v for v in self.values[-_RECENT:] if self.type(v).dtype in taken]
        if not fitting:
            return -1.0, op, self.values[-1]
        news = self._new_edges(op, fitting)
        # The last value has the longest paths behind it.
        return bool(news) + self.memory.novelty(op), op, news[-1] if news else self.rng.choice(fitting)


@dataclass(frozen=True, kw_only=True)
class _Call:
    """An application with chosen operands. An empty operand stands for a new value.

    ``types`` are the operands' types in the order in which the operator gets them: reversed if ``exchanged``.
    """

    application: OperatorUse
    operands: Sequence[str]
    types: tuple[TensorType, ...]
    results: tuple[TensorType, ...]
    exchanged: bool


class InSuite(_Guided):
    """The strategy in a suite whose contents are known: it looks for new vertices and new edges."""

    explored = _EXPLORED
    ranks = (1, 2, 4, 4, 4, 4)  # higher ranks have more shapes

    def random_type(self, dtype: str = "", rank: int = -1) -> TensorType:
        """Return the one of several random types whose shape the fewest operators have read."""
        types = [super(InSuite, self).random_type(dtype, rank) for _ in range(_TYPES)]
        return min(types, key=lambda t: self.memory.vertices.readers(t.shape))

    def _remember(self, op: Op, types: Sequence[TensorType], attrs: Attrs) -> None:
        self.memory.vertices.add(op, types, attrs)

    def _grow(self) -> bool:
        op, first = self._next()
        call = self._call(op, first)
        if call is None:
            return False
        operands = [x or self._new_operand(call.application, place) for place, x in enumerate(call.operands)]
        self.add(op, operands[::-1] if call.exchanged else operands, call.application.attrs, call.results)
        return True

    def _newest(self) -> tuple[Op, str]:
        best = self._scored()
        for _ in range(_CANDIDATES - 1):
            if best[0] == _NEWEST:
                break
            best = max(best, self._scored(), key=lambda scored: scored[0])
        return best[1:]

    def _scored(self) -> tuple[int, Op, str]:
        """Return a score, an operator and a first operand. A new edge counts 1, and so does a probably new vertex."""
        op, vertices = self._candidate(), self.memory.vertices
        taken, known = op.types[op.variable(0)], vertices.shapes(op)
        renewed = self.rng.random() < vertices.renewal(op)
        best, first = -1, self.values[-1]
        for name in reversed(self.values[-_RECENT:]):
            t = self.type(name)
            if t.dtype not in taken or not vertices.suits(op, t):
                continue
            score = (renewed or t.shape not in known) + bool(self._new_edges(op, (name,)))
            if score > best:
                best, first = score, name
            if best == _NEWEST:
                break
        return best, op, first

    def _call(self, op: Op, first: str) -> _Call | None:
        """Return an application to a value, preferably with a new vertex. A known vertex is mostly rejected: None."""
        known = None
        for _ in range(_DRAWS):
            if call := self._drawn(op, first):
                if self.memory.vertices.judge(op, call.types, call.application.attrs):
                    return call
                known = call
        if known is None and op.accepts(0, self.type(first).dtype):
            self.memory.vertices.fail(op, self.type(first))
        return known if known and self.rng.random() >= _REJECTED else None

    def _drawn(self, op: Op, first: str) -> _Call | None:
        application = self.draw(op, self.type(first))
        if application is None:
            return None
        operands = [first, *(self._existing(application, place) for place in range(1, len(application.types)))]
        types = tuple(self.type(x) if x else t for x, t in zip(operands, application.types, strict=True))
        results = application.results if types == application.types else self.results(op, types, application.attrs)
        turned, attrs = types[::-1], application.attrs
        exchanged = self._exchanges(application) and (types == turned or self.results(op, turned, attrs) == results)
        return (
            _Call(
                application=application,
                operands=operands,
                types=turned if exchanged else types,
                results=results,
                exchanged=exchanged,
            )
            if results
            else None
        )
