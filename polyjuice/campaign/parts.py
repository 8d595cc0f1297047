"""Coverage of a compiler's parts: which of them campaigns built programs for, which acted, and which were to blame.

The parts are those that target files name (see :mod:`polyjuice.targets`). Whether a part acted is known of the cases
whose programs were compiled with a trace, which is a sample where a trace costs much. Where programs are compiled in
packs, a part that acted on any program of a pack counts for all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyjuice import compilers, targets
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store

_COUNTS = ("built", "acted", "near", "acted_near", "findings")
"""The counts of a part, in the order of a table's columns."""


@dataclass(frozen=True, kw_only=True)
class PartCoverage:
    """What is known of one part of a compiler; if it is not ``reachable``, ``reason`` says why.

    ``built`` programs had a pattern of the part, and ``near`` ones were near misses of one. Of all programs with a
    trace, it ``acted`` on that many, of which ``acted_near`` were near misses of its own. ``findings`` causes are
    blamed on it.
    """

    part: str
    reachable: bool = True
    reason: str = ""
    built: int = 0
    acted: int = 0
    near: int = 0
    acted_near: int = 0
    findings: int = 0

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers in the order of a table's columns."""
        return tuple(getattr(self, name) for name in _COUNTS)

    @property
    def note(self) -> str:
        """Why the part did not act, for a person; "" if it did."""
        return f"cannot be reached: {self.reason}" if not self.reachable else "never acted" if self.missing else ""

    @property
    def missing(self) -> bool:
        """Whether the part could act and never did."""
        return self.reachable and not self.acted


@dataclass(frozen=True, kw_only=True)
class CompilerCoverage:
    """The coverage of the parts of one compiler, over ``traced`` of ``tested`` cases with a trace."""

    compiler: str
    version: str
    tested: int
    traced: int
    parts: Sequence[PartCoverage]

    def line(self) -> str:
        """The coverage in one sentence."""
        reachable = [part for part in self.parts if part.reachable]
        acted = sum(not part.missing for part in reachable)
        return (
            f"{self.compiler} {self.version}: {acted} of {len(reachable)} parts that can be reached acted in "
            f"{self.traced:,} of {self.tested:,} cases, which were compiled with a trace"
        )


def of_campaigns(campaigns: Iterable[tuple[Store, Config]]) -> list[CompilerCoverage]:
    """The coverage of the parts of each compiler in these campaigns. Raises EnvironmentProblem, RuleError."""
    grouped: dict[tuple[str, str], list[tuple[Store, Config]]] = {}
    for store, config in campaigns:
        grouped.setdefault((config.compiler, store.meta("version") or ""), []).append((store, config))
    return [_of_compiler(name, version, found) for (name, version), found in sorted(grouped.items())]


def _of_compiler(name: str, version: str, campaigns: Sequence[tuple[Store, Config]]) -> CompilerCoverage:
    further = dict.fromkeys(path for _, config in campaigns for path in config.targets)
    known = targets.of_compiler(compilers.find(name).target_file, map(Path, further))
    counts: Mapping[str, Counter[str]] = {key: Counter() for key in _COUNTS}
    tested = traced = 0
    for store, _ in campaigns:
        for case in store.cases():
            tested += case.tested
            traced += case.acted is not None
            counts["near" if case.changes else "built"][case.part] += bool(case.part)
            counts["acted"].update(case.acted or ())
            counts["acted_near"][case.part] += bool(case.changes and case.part in (case.acted or ()))
        counts["findings"].update(part for cause in store.causes() for part in {*cause.record["blame"]})
    return CompilerCoverage(
        compiler=name,
        version=version,
        tested=tested,
        traced=traced,
        parts=[
            PartCoverage(
                part=part,
                reachable=part not in known.unreachable,
                reason=known.unreachable.get(part, ""),
                **{key: counted[part] for key, counted in counts.items()},
            )
            for part in known.parts
        ],
    )
