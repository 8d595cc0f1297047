"""Automatic triage: attribute findings to causes or groups; reduce and bisect one, then name its root cause.

A finding has the cause of another one if it has its pattern, and vanishes without the parts to blame. Failures are
grouped by their error. A wrong result of a fast compiler is bisected unreduced. If no part is to blame, one more run
makes all values outputs and names the first wrong operator: a kernel's fault shows there, whatever the program is. If a
compilation takes seconds, findings are grouped by signature and by the lowest optimization level that shows them.
"""

from __future__ import annotations

import math
import shutil
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from polyjuice import pipeline
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule
from polyjuice.execution.space import shortage
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import bisection, reduction
from polyjuice.triage.bisection import TrialResult, bisect, trial_of
from polyjuice.triage.causes import KnownCulprit, by_part, cause_of, fails, narrow
from polyjuice.triage.record import FindingError
from polyjuice.triage.reduction.run import alone
from polyjuice.triage.reduction.trial import UNFIT
from polyjuice.triage.reduction.trial import Trial as Candidates
from polyjuice.triage.stored import Stored, load

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


@dataclass(frozen=True, kw_only=True)
class Triaged:
    """The result of triage for the finding called ``name``: its root ``cause``, which other findings may share.

    For a duplicate, ``why`` says what shows that it has the cause of another finding.
    ``record`` is the ``finding.json`` of the reduced finding. It is None where another finding already has this cause.
    It is also None where reduction failed: then ``cause`` is "" and ``problem`` holds the reason. ``defect`` holds the
    traceback where our own code failed. A finding that was only sorted has a ``group`` and no cause yet. ``ended``
    means that the time for triage ran out before there was a result.
    """

    name: str
    cause: str = ""
    why: str = ""
    record: Mapping[str, Any] | None = None
    group: Group | None = None
    problem: str = ""
    defect: str = ""
    ended: bool = False
    seconds: float = 0.0


def attribute(
    folders: Sequence[Path], culprits: Sequence[KnownCulprit], groups: Mapping[str, Group]
) -> Iterator[Triaged]:
    """Yield each finding with the cause of the culprit that accounts for it, or else with its group.

    ``groups`` are those that are known, by name of the finding. Findings with a culprit come first. Raises
    EnvironmentProblem where the compiler does not start.
    """
    waiting: list[_Waiting] = []
    for folder in folders:
        try:
            stored = load(folder)
            waiting.append(_Waiting(stored, stored.case()))
        except (FindingError, FormatError) as problem:
            yield Triaged(name=folder.name, problem=str(problem))
        except Unlowerable:  # triage says so
            yield Triaged(name=folder.name, group=Group(stored.record.signature))
    for culprit in _promising(waiting, culprits):
        gone = _try([one for one in waiting if one.may_be(culprit)], culprit.blame)
        for one in [one for one in waiting if gone.get(one.name) is TrialResult.gone]:
            waiting.remove(one)
            yield Triaged(name=one.name, cause=culprit.cause, why=culprit.evidence)
    new = [one for one in waiting if one.name not in groups]
    levels = _levels([one for one in new if not one.stored.compiler.fast and not fails(one.stored.record.kind)])
    for one in waiting:
        group = groups.get(one.name) or _group(one.stored, levels.get(one.name, ""))
        yield Triaged(name=one.name, group=group)


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
    for own in dict.fromkeys(one.stored.conditions for one in waiting):
        among = [one for one in waiting if one.stored.conditions == own]
        conditions = replace(own, level=level or own.level)
        with CompilerSession(conditions, among[0].stored.compiler, disabled) as session:
            try:
                cases = pipeline.execute_together([pipeline.not_run(one.case) for one in among], session)
            except EnvironmentProblem:  # the compiler does not even start
                if not disabled:
                    raise
                found |= {one.name: TrialResult.broken for one in among}
                continue
            for one, case in zip(among, cases, strict=True):
                found[one.name] = trial_of(case, one.stored.verdict, session)
    return found


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


def sort(
    folders: Sequence[Path],
    culprits: Sequence[KnownCulprit],
    groups: Mapping[str, Group],
    until: float = math.inf,
) -> list[Triaged]:
    """Match the findings in folders with the culprits that account for them, and group the remaining findings.

    ``groups`` are those that are known, by name of the finding. Sorting stops at ``until``, a time on the monotonic
    clock. Findings without a result by then must be sorted again. If our own code fails on a finding, that failure is
    the finding's result.
    """
    began = time.monotonic()
    results: list[Triaged] = []
    with TimeLimit(until):
        for result in _sorted(folders, culprits, groups):
            results.append(result)  # one by one: those so far stay when the time is up
    seconds = (time.monotonic() - began) / max(len(results), 1)
    return [replace(result, seconds=seconds) for result in results]


def _sorted(
    folders: Sequence[Path], culprits: Sequence[KnownCulprit], groups: Mapping[str, Group]
) -> Iterator[Triaged]:
    """Yield the result of each finding.

    If our own code fails, sort the remaining findings in halves, so that only the finding at fault is lost.
    """
    left = {folder.name: folder for folder in folders}
    try:
        for result in attribute(folders, culprits, groups):
            del left[result.name]
            yield result
    except EnvironmentProblem as problem:
        yield from (Triaged(name=name, problem=str(problem)) for name in left)
    except Exception as error:  # noqa: BLE001 - it is the finding's result
        if full := shortage(error):
            raise full from None
        if len(left) < 2:
            yield from (Triaged(name=name, defect=traceback.format_exc()) for name in left)
            return
        rest = [*left.values()]
        for half in (rest[: len(rest) // 2], rest[len(rest) // 2 :]):
            yield from _sorted(half, culprits, groups)


def triage(
    folder: Path,
    culprits: Sequence[KnownCulprit],
    time_s: float,
    rules: Sequence[Rule] = (),
    until: float = math.inf,
) -> Triaged:
    """Triage the finding in a folder, and write the reduced finding to ``reduced`` in that folder.

    ``time_s`` is the time limit of reduction in seconds, and again of bisection. ``rules`` may explain the finding; the
    default is the rules that come with Polyjuice. Triage stops at ``until``, a time on the monotonic clock, and
    reduction takes at most half of the time until then. If reduction finished, the next triage continues with its
    result. If one of the ``culprits`` accounts for the reduced finding, it is not bisected.
    """
    began = time.monotonic()
    result = Triaged(name=folder.name, ended=True)
    with TimeLimit(until):
        try:
            result = _triage(load(folder), culprits, time_s, rules, until)
        except (FindingError, FormatError, Unlowerable, EnvironmentProblem, reduction.NotShown) as problem:
            result = Triaged(name=folder.name, problem=str(problem) or "it no longer shows")
    return replace(result, seconds=time.monotonic() - began)


def _triage(
    stored: Stored, culprits: Sequence[KnownCulprit], time_s: float, rules: Sequence[Rule], until: float
) -> Triaged:
    name = stored.folder.name
    if stored.kind.endless:
        raise FindingError("a hang is not reduced: every trial would take the whole time limit")
    small = _reduced_before(stored)
    if not small:
        shutil.rmtree(reduced_folder(stored.folder), ignore_errors=True)
        half_s = (until - time.monotonic()) / 2
        out = reduced_folder(stored.folder)
        reduction.reduce(stored, out, min(time_s, half_s), rules=rules, from_scratch=False)
        small = load(reduced_folder(stored.folder))
    if same := _accounting(small, culprits):
        return Triaged(name=name, cause=same.cause, why=f"reduced, {same.evidence}")
    try:
        found = bisection.bisect(small, time_s, alternatives=_alternatives(small))
    except FindingError:  # nothing of this compiler can be switched off
        small.annotate(cause=cause_of(small.record, small.graphs, ()))
    else:
        bisection.store(small, found)
    record = small.annotate(folder=name)
    return Triaged(name=name, cause=record["cause"], record=record)


def _alternatives(stored: Stored) -> int:
    """How many further sets of parts bisection looks for: a compilation of seconds makes each as long as the first."""
    return bisection.ALTERNATIVES if stored.compiler.fast else 1


def _reduced_before(stored: Stored) -> Stored | None:
    """Return the reduced finding that an interrupted triage left behind; None where its reduction had not finished."""
    folder = reduced_folder(stored.folder)
    if not (folder / "report.md").is_file():  # which is written last
        return None
    small = load(folder)
    return small if small.record.reduction.get("finished") else None


def reduced_folder(folder: Path) -> Path:
    """The default folder for the reduced form of a finding."""
    return folder / "reduced"


def _accounting(stored: Stored, culprits: Sequence[KnownCulprit]) -> KnownCulprit | None:
    """Return the first culprit without whose parts a reduced finding vanishes, and whose pattern it has."""
    record = asdict(stored.record)
    alike = [culprit for culprit in culprits if culprit.may_account_for(record)]
    if not alike:
        return None
    case = stored.case()
    number = bisection.accounting([s.blame for s in alike], lambda parts: bisection.without(stored, case, parts))
    return None if number is None else alike[number]
