"""What kind of case each index of a campaign with generated seeds is: its strategy, and whether it has variants.

A small program alone, without variants, is compiled in a third of the time, and no rule bounds the values on which it
runs. Variants reach what only rewriting writes, and larger graphs what only several operators together show. Each kind
exposes faults that the others miss in the same time (``artifacts/budget.md``); published bugs of single kernels come by
small programs alone. So all take turns. On ONNX Runtime a larger graph takes eight times as long as a small program
alone, and a small one with variants three times: of the time small programs alone have four tenths, and the others
three each. On Inductor, where packs make small programs cheap, larger graphs have half of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyjuice.generate import STRATEGIES

MIXED = "mixed"
"""The campaign's own strategy: small programs, and between them the larger graphs of ``default``."""

SMALL, LARGE = "small", "default"
"""The strategies of small programs and of larger graphs."""

GENERATING = (*STRATEGIES, MIXED)
"""Where a campaign's seeds may come from, beside models."""


@dataclass(frozen=True)
class Kind:
    """How the seed graph of a case is generated, and whether it is tested ``alone``, without variants."""

    strategy: str
    alone: bool = False


_ALONE, _SMALL, _DEFAULT = Kind(SMALL, alone=True), Kind(SMALL), Kind(LARGE)

_MOST = (_ALONE, _ALONE, _ALONE)

_TURNS: Mapping[str, Sequence[Kind]] = {
    SMALL: (_ALONE, _SMALL),
    MIXED: (*_MOST, _SMALL, *_MOST, _SMALL, *_MOST, _SMALL, *_MOST, _DEFAULT),
}
"""The kinds that take turns; of another strategy there is one."""


@dataclass(frozen=True)
class Kinds:
    """The kinds of a campaign's cases.

    ``period`` cases in a row are of one kind.
    """

    strategy: str
    period: int = 1

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
        return _TURNS.get(self.strategy, (Kind(self.strategy),))
