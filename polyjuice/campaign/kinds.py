"""What kind of case each index of a campaign with generated seeds is: its strategy, and whether it has variants.

A program alone, without variants, takes a third of the time, and no rule bounds the values on which it runs. Variants
reach what only rewriting writes, and larger graphs what only several operators together show. Each kind detects faults
that the others miss in the same time (``artifacts/budget.md``), and published bugs of single kernels come by small
programs alone. So all take turns, such that each kind has about a quarter of the time. Where a compilation takes
seconds, a larger graph takes as long as ten to fifty small programs: there it comes with variants only, once in 64
cases, and small programs alone have most of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from polyjuice.generate import STRATEGIES, TORCH_STRATEGIES

MIXED = "mixed"
"""The campaign's own strategy: small programs, and between them the larger graphs of ``default``."""

SMALL, STATEMENTS, COMPLEX, LARGE = "small", "statements", "complex", "default"
"""The strategies of small programs, of those that write into their inputs, those of complex numbers, larger graphs."""

GENERATING = (*STRATEGIES, *TORCH_STRATEGIES, MIXED)
"""Where a campaign's seeds may come from, beside models."""


@dataclass(frozen=True)
class Kind:
    """How the seed graph of a case is generated, and whether it is tested ``alone``, without variants."""

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
"""The kinds that take turns; of another strategy there is one."""

_SLOW_MIXED = (*(*_MOST, _SMALL) * 15, *_MOST, _LARGE)
"""Those of mixed campaigns where a compilation takes seconds."""


@dataclass(frozen=True)
class Kinds:
    """The kinds of a campaign's cases.

    ``period`` cases in a row are of one kind. ``slow`` says that a compilation takes seconds, ``writes`` that programs
    may write into their inputs: every third small one does.
    """

    strategy: str
    period: int = 1
    slow: bool = False
    writes: bool = False

    def of(self, index: int) -> Kind:
        """The kind of a case."""
        turns = self._turns
        return turns[index // self.period % len(turns)]

    def number(self, index: int) -> int:
        """How many cases before this one have its strategy: what is due depends on that."""
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
    """The kinds with every third small program, of those alone and of those with variants, writing into its inputs."""
    seen: Counter[Kind] = Counter()
    found = []
    for kind in turns:
        seen[kind] += 1
        writes = kind.strategy == SMALL and seen[kind] % 3 == 0
        found.append(Kind(STATEMENTS, kind.alone) if writes else kind)
    return tuple(found)
