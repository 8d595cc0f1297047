"""The kind of each case of a campaign with generated seeds: its strategy, and whether it has variants.

A program without variants takes a third of the time, and no rule restricts the values that it runs on. Variants contain
patterns that only rewriting makes, and larger graphs show faults that need several operators. Each kind detects faults
that the others miss in the same time (``artifacts/README.md``). Small programs alone find published bugs of single
kernels. So all kinds take turns, and each has about a quarter of the time. If a compilation takes seconds, a larger
graph takes as long as ten to fifty small programs. Such a campaign spends most of its time on small programs alone, and
one case in 64 is a larger graph, with variants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from polyjuice.generate import STRATEGIES, TORCH_STRATEGIES

MIXED = "mixed"
"""The strategy that only campaigns have: small programs, and between them the larger graphs of ``default``."""

SMALL, STATEMENTS, COMPLEX, LARGE = "small", "statements", "complex", "default"
"""The strategies for small programs, programs that write into their inputs, complex numbers, and larger graphs."""

GENERATING = (*STRATEGIES, *TORCH_STRATEGIES, MIXED)
"""The strategies that a campaign's seeds may come from, instead of models."""


@dataclass(frozen=True)
class Kind:
    """The generation strategy of a case's seed graph, and whether the graph is tested ``alone``, without variants."""

    strategy: str
    alone: bool = False


_ALONE, _SMALL = Kind(SMALL, alone=True), Kind(SMALL)
_LARGE_ALONE, _LARGE = Kind(LARGE, alone=True), Kind(LARGE)

_MOST = (_ALONE, _ALONE, _ALONE)

_TURNS: Mapping[str, Sequence[Kind]] = {
    SMALL: (_ALONE, _SMALL),
    STATEMENTS: (Kind(STATEMENTS, alone=True), Kind(STATEMENTS)),
    COMPLEX: (Kind(COMPLEX, alone=True), Kind(COMPLEX)),
    MIXED: (*(*_MOST, _LARGE_ALONE, _SMALL) * 3, _LARGE),
}
"""The kinds that take turns in each strategy; any other strategy has one kind."""

_SLOW_MIXED = (*(*_MOST, _SMALL) * 15, *_MOST, _LARGE)
"""The kinds that take turns in mixed campaigns if a compilation takes seconds."""


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """The kinds of a campaign's cases.

    ``period`` cases in a row have one kind. ``slow`` means that a compilation takes seconds. With ``writes``, every
    third small program writes into its inputs.
    """

    strategy: str
    period: int = 1
    slow: bool = False
    writes: bool = False

    def of(self, index: int) -> Kind:
        """Return the kind of a case."""
        turns = self._turns
        return turns[index // self.period % len(turns)]

    def number(self, index: int) -> int:
        """Return the number of earlier cases with the same strategy, which decides what is due."""
        turns, own = self._turns, self.of(index)
        rounds, place = divmod(index, self.period * len(turns))
        block, within = divmod(place, self.period)
        alike = [kind.strategy == own.strategy for kind in turns]
        return (rounds * sum(alike) + sum(alike[:block])) * self.period + within

    @property
    def _turns(self) -> Sequence[Kind]:
        if self.strategy != MIXED:
            return _TURNS.get(self.strategy, (Kind(self.strategy),))
        turns = _SLOW_MIXED if self.slow else _TURNS[MIXED]
        return _with_writes(turns) if self.writes else turns


@cache
def _with_writes(turns: Sequence[Kind]) -> Sequence[Kind]:
    """Make every third small program write into its inputs, counted apart for those alone and those with variants."""
    seen: Counter[Kind] = Counter()
    found = []
    for kind in turns:
        seen[kind] += 1
        writes = kind.strategy == SMALL and seen[kind] % 3 == 0
        found.append(Kind(STATEMENTS, kind.alone) if writes else kind)
    return tuple(found)
