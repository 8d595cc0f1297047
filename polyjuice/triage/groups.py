"""Group findings that most likely share a root cause, by cheap tests before anything is reduced.

A finding has the cause of another one if it has its pattern, and vanishes without the parts to blame. Failures are
grouped by their error. A wrong result of a fast compiler is bisected unreduced. If no part is to blame, one more run
makes all values outputs and names the first wrong operator: a kernel's fault shows there, whatever the program is. If a
compilation takes seconds, findings are grouped by signature and by the lowest optimization level that shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from polyjuice import pipeline
from polyjuice.compilers import EnvironmentProblem
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession, Conditions
from polyjuice.triage.bisection import TrialResult, bisect, trial_of
from polyjuice.triage.causes import KnownCulprit, by_part, fails, narrow
from polyjuice.triage.record import FindingError
from polyjuice.triage.reduction.run import alone
from polyjuice.triage.reduction.trial import UNFIT
from polyjuice.triage.reduction.trial import Trial as Candidates
from polyjuice.triage.stored import Stored

_BISECTION_S = 10.0
"""The time limit for bisecting a finding while grouping, in seconds: a trial takes about 0.1 s."""


@dataclass(frozen=True)
class Group:
    """The text by which a finding is grouped.

    In a group that is ``alike``, findings share the cause of the first one triaged: they fail with the same error, or
    the same operator is the first whose result is wrong.
    """

    text: str
    alike: bool = False


def sort(findings: Sequence[Stored], culprits: Sequence[KnownCulprit]) -> Iterator[tuple[str, KnownCulprit | Group]]:
    """Yield each finding's name with the culprit that accounts for it, or else with its group.

    Findings with a culprit come first. Raises EnvironmentProblem where the compiler does not start.
    """
    waiting: list[_Waiting] = []
    for stored in findings:
        try:
            waiting.append(_Waiting(stored, stored.case()))
        except Unlowerable:  # triage says so
            yield stored.folder.name, Group(stored.record.signature)
    for culprit in _promising(waiting, culprits):
        gone = _try([one for one in waiting if one.may_be(culprit)], culprit.blame)
        for one in [one for one in waiting if gone.get(one.name) is TrialResult.gone]:
            waiting.remove(one)
            yield one.name, culprit
    levels = _levels([one for one in waiting if not one.stored.compiler.fast and not fails(one.stored.record.kind)])
    for one in waiting:
        yield one.name, _group(one.stored, levels.get(one.name, ""))


@dataclass(frozen=True)
class _Waiting:
    stored: Stored
    case: Case

    @property
    def name(self) -> str:
        return self.stored.folder.name

    def may_be(self, culprit: KnownCulprit) -> bool:
        return culprit.may_account_for(asdict(self.stored.record))


def _promising(waiting: Sequence[_Waiting], culprits: Sequence[KnownCulprit]) -> list[KnownCulprit]:
    """The culprits that may account for a finding; none if all findings still show without all culprits' parts."""
    alike = [s for s in culprits if any(one.may_be(s) for one in waiting)]
    if len(alike) < 2:
        return alike
    everything = tuple(dict.fromkeys(name for culprit in alike for name in culprit.blame))
    shown = _try(waiting, everything)
    return [] if all(trial is TrialResult.shown for trial in shown.values()) else alike


def _try(waiting: Sequence[_Waiting], disabled: Sequence[str], level: str = "") -> dict[str, TrialResult]:
    """Return the state of each finding with some parts switched off, at ``level`` or at the finding's own level."""
    found: dict[str, TrialResult] = {}
    for conditions in dict.fromkeys(one.stored.conditions for one in waiting):
        among = [one for one in waiting if one.stored.conditions == conditions]
        found |= _try_under(replace(conditions, level=level or conditions.level), among, disabled)
    return found


def _try_under(conditions: Conditions, among: Sequence[_Waiting], disabled: Sequence[str]) -> dict[str, TrialResult]:
    compiler = among[0].stored.compiler
    with CompilerSession(conditions, compiler, disabled) as session:
        try:
            cases = pipeline.execute_together([pipeline.not_run(one.case) for one in among], session)
        except EnvironmentProblem:  # the compiler does not even start
            if not disabled:
                raise
            return {one.name: TrialResult.broken for one in among}
        return {one.name: trial_of(case, one.stored.verdict, session) for one, case in zip(among, cases, strict=True)}


def _levels(waiting: Sequence[_Waiting]) -> dict[str, str]:
    """The lowest optimization level at which each finding shows, if that is below its own level."""
    found: dict[str, str] = {}
    levels = waiting[0].stored.compiler.levels if waiting else ()
    for level in levels[:-1]:
        left = [one for one in waiting if one.name not in found and _is_below(level, one.stored)]
        found |= {name: level for name, trial in _try(left, (), level).items() if trial is TrialResult.shown}
    return found


def _is_below(level: str, stored: Stored) -> bool:
    """Whether a level is below a finding's own; never for verdicts of the oracle that compares levels."""
    levels, own = stored.compiler.levels, stored.conditions.level
    return not stored.record.level and (not own or levels.index(level) < levels.index(own))


def _group(stored: Stored, level: str) -> Group:
    record = stored.record
    if fails(record.kind):
        return Group(record.signature, alike=True)
    if not stored.compiler.fast:
        return Group(f"{record.signature} at level {level}" if level else record.signature)
    with suppress(FindingError):
        found = bisect(stored, _BISECTION_S, alternatives=0)
        if parts := narrow(record.compiler, found.blame):
            return Group(by_part(record.kind, parts))
    place = _first_wrong(stored)
    return Group(f"{record.kind} ({record.comparison}){f' of {place}' if place else ''}", alike=bool(place))


def _first_wrong(stored: Stored) -> str:
    """The operator and element type of the first wrong result; "" where that cannot be determined."""
    with CompilerSession(stored.conditions, stored.compiler) as session:
        one = alone(stored, session)
        if len(one.graphs) > 1 or one.user_program:
            return ""
        candidates = Candidates(stored=one, session=session)
        try:
            pair = candidates.as_stored()
            pair = pair.with_graphs([candidates.decomposed(pair.graphs[0])])
            name = "" if pair.graphs[0].updates else candidates.first_wrong(pair)
        except (Unlowerable, *UNFIT):
            return ""
    graph = pair.graphs[0]
    node = next((node for node in graph.nodes if name and name in node.outputs), None)
    return f"{node.qualified} {graph.types[name].dtype}" if node else ""
