"""The kinds of a campaign's cases: how the seed graph of each is generated, and what its programs should cover."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from polyjuice.frameworks import registry
from polyjuice.frameworks.lowering import NOTHING, CoverageTarget
from polyjuice.generate import STRATEGIES, TORCH_STRATEGIES
from polyjuice.generate.due import Due
from polyjuice.inputs import DISTRIBUTIONS

MIXED = "mixed"
"""The strategy that only campaigns have: small programs, and between them the larger graphs of ``default``."""

SMALL, STATEMENTS, COMPLEX, LARGE = "small", "statements", "complex", "default"
"""The strategies for small programs, programs that write into their inputs, complex numbers, and larger graphs."""

TARGETS = "targets"
"""The strategy for programs that the compiler's parts look for (see :mod:`polyjuice.generate.targeted`)."""

GENERATING = (*STRATEGIES, *TORCH_STRATEGIES, TARGETS, MIXED)
"""The strategies that a campaign's seeds may come from, instead of models."""

BATCH = 16
"""Generated graphs that share an e-graph: cases 0 to 15, 16 to 31, ... (each pays a fraction of it).

Where programs are compiled in packs, each case has its own e-graph. Compiling takes so long there that rewriting is
little of the time. And a pack need not wait until the operators of further cases are probed.
"""

ATTEMPTS = 5
"""Seed graphs that a case may try: the next if a graph lacks two different variants, or the framework refuses it."""

_SETS, _SETS_OF_SMALL = 4, 12
"""Sets of inputs of a generated case if a compilation takes seconds: further sets cost little then.

A fault of vectorised code shows on few values: a faulty lane in 100 programs with an 8-bit reduction shows in 43 on one
set, and in 72 on four. Small programs without variants have more, since few sets have a NaN or a tie.
"""


@dataclass(frozen=True)
class Kind:
    """The generation strategy of a case's seed graph, and whether the graph is tested ``alone``, without variants.

    A program without variants takes a third of the time, and no rule restricts the values that it runs on. Variants
    contain patterns that only rewriting makes, and larger graphs show faults that need several operators. Each kind
    detects faults that the others miss in the same time (``artifacts/README.md``). So all kinds take turns. Half of the
    cases aim at parts of the compiler, which find most. If a compilation takes seconds, a larger graph takes as long as
    ten to fifty small programs: one case in 128 is one, with variants. In packs, variants take three times as long as
    a program alone, and find at most half as much in the same time: there one case in eight has them.
    """

    strategy: str
    alone: bool = False


_ALONE, _SMALL = Kind(SMALL, alone=True), Kind(SMALL)
_AIMED, _LARGE_ALONE = Kind(TARGETS, alone=True), Kind(LARGE, alone=True)
_CYCLES: Mapping[str, Sequence[Kind]] = {
    SMALL: (_ALONE, _SMALL),
    STATEMENTS: (Kind(STATEMENTS, alone=True), Kind(STATEMENTS)),
    COMPLEX: (Kind(COMPLEX, alone=True), Kind(COMPLEX)),
    TARGETS: (_AIMED,),
    MIXED: (*(_AIMED, _ALONE, _AIMED, _LARGE_ALONE, _AIMED, _SMALL) * 3, Kind(LARGE)),
}
"""The kinds that follow each other in each strategy; any other strategy has one kind."""

_SLOW_MIXED = (*(_AIMED, _ALONE, _AIMED, _SMALL) * 31, _AIMED, _ALONE, _AIMED, Kind(LARGE))
"""The kinds that follow each other in mixed campaigns if a compilation takes seconds."""

_NO_VARIANTS = (*(_AIMED, _ALONE) * 3, _AIMED)
_PACKED_MIXED = (*(*_NO_VARIANTS, _SMALL) * 31, *_NO_VARIANTS, Kind(LARGE))
"""The same if programs are compiled in packs."""


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """The kinds of a campaign's cases.

    ``period`` cases in a row have one kind. ``slow`` means that a compilation takes seconds, and ``packs`` that several
    programs are compiled as one. With ``writes``, every third small program writes into its inputs, else none.
    """

    strategy: str
    period: int = 1
    slow: bool = False
    packs: bool = False
    writes: bool = False

    def of(self, index: int) -> Kind:
        """Return the kind of a case."""
        return self._cycle[index // self.period % len(self._cycle)]

    def number(self, index: int) -> int:
        """Return the number of earlier cases with the same strategy, which decides what is due."""
        rounds, place = divmod(index, self.period * len(self._cycle))
        block, within = divmod(place, self.period)
        strategies = [kind.strategy for kind in self._cycle]
        asked = strategies[block]
        return (rounds * strategies.count(asked) + strategies[:block].count(asked)) * self.period + within

    @cached_property
    def _cycle(self) -> Sequence[Kind]:
        if self.strategy != MIXED:
            return _CYCLES.get(self.strategy, (Kind(self.strategy),))
        cycle = _PACKED_MIXED if self.packs else _SLOW_MIXED if self.slow else _CYCLES[MIXED]
        return _with_writes(cycle) if self.writes else cycle


def _with_writes(cycle: Sequence[Kind]) -> Sequence[Kind]:
    """Make every third small program write into its inputs, counted apart for those alone and those with variants."""
    seen: Counter[Kind] = Counter()
    found = []
    for kind in cycle:
        seen[kind] += 1
        writes = kind.strategy == SMALL and seen[kind] % 3 == 0
        found.append(Kind(STATEMENTS, kind.alone) if writes else kind)
    return tuple(found)


def input_sets(profiles: int, per_profile: int, *, slow: bool, small: bool) -> int:
    """Return the number of input sets of a case with that many profiles; ``per_profile`` is the option, or 0.

    ``slow`` is a generated case whose compilation takes seconds, ``small`` a small program without variants.
    """
    return per_profile * profiles or max(profiles, (_SETS_OF_SMALL if small else _SETS) if slow else 1)


_PATTERNS, _IN_MODELS = 4, 16
"""How much oftener a part's own pattern is compiled with a trace than other programs, and one in a user's model.

One generated program in five is such a pattern. Of a user's model there are few programs, and rewriting takes longest.
"""


def traced(every: int, *, aimed: str, changes: Sequence[str], generated: bool) -> int:
    """Return after how many cases one with such a program is compiled with a trace, given the compiler's number.

    ``aimed`` is the part of the compiler at which the program aims, if any, and ``changes`` make it a near miss. It is
    ``generated``, or a user's model.
    """
    return max(every // (_PATTERNS if generated else _IN_MODELS), 1) if aimed and not changes else every


# --- what a small program should cover: the layout and distribution of its first input, its setting and its opset ----

_USUAL = 3
"""Extra entries of the usual layout, beside one for each layout.

Other inputs have the first input's layout half of the time."""

_MIXED = 2
"""Extra entries of the distribution "mixed", beside one for each distribution."""


def coverage_target(due: Due | None, format: str, pack: str = "") -> CoverageTarget:
    """Return what a case with programs in a format should cover (see :mod:`polyjuice.generate.due`).

    The usual level of a factor is due more often. The cases of one ``pack`` share one setting, drawn for the pack.
    """
    if due is None:
        return CoverageTarget("", _setting(due, format, pack), 0, "") if pack else NOTHING
    distribution = due.level("distribution", [*["mixed"] * _MIXED, *DISTRIBUTIONS])
    known = layouts(format)
    layout = due.level("layout", [*known[:1] * _USUAL, *known]) if known else ""
    return CoverageTarget(layout, _setting(due, format, pack), _opset(due, format), distribution)


def settings(format: str) -> tuple[str, ...]:
    """Return the settings of programs in a format, the plain one first. An ONNX model has its opset instead."""
    known = registry.find(format).settings
    return tuple(known.load()) if known else ()


def layouts(format: str) -> tuple[str, ...]:
    """Return the layouts of inputs in a format, the usual one first; none where there is no choice."""
    known = registry.find(format).layouts
    return tuple(known.load()) if known else ()


def versions(format: str, domain: str, op: str, dtype: str) -> Mapping[int, Sequence[int]] | None:
    """Return the versions of an operator that take an element type first, and the format's versions that have each.

    Returns None if the format has no versions.
    """
    known = registry.find(format).versions
    return None if known is None else {} if domain else known.load()(op, dtype)


def _setting(due: Due | None, format: str, pack: str) -> str:
    if not (known := settings(format)):
        return ""
    plain, *others = known
    options = [*[plain] * len(others), *others]
    if due is None or pack:
        return random.Random(f"setting of pack {pack}").choice(options)
    return due.level("setting", options)


def _opset(due: Due, format: str) -> int:
    """Return an opset with the due version of the operator; 0, for a random opset, in half of the cases."""
    known = versions(format, due.op.domain, due.op.name, due.dtype)
    if not known:
        return 0
    version = due.level("setting", [*[0] * len(known), *known])
    return due.level(f"opset of {version}", known[version]) if version else 0
