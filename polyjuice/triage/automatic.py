"""Automatic triage: reduce and bisect a finding, then name its root cause or join it to a known one."""

from __future__ import annotations

import math
import shutil
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule
from polyjuice.execution.space import shortage
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import bisection, groups, reduction
from polyjuice.triage.causes import KnownCulprit, cause_of
from polyjuice.triage.groups import Group
from polyjuice.triage.record import FindingError
from polyjuice.triage.stored import Stored, load


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


KnownCulprits = Callable[[str, str], Sequence[KnownCulprit]]
"""Return the culprits for a compiler (first argument) in a version (second argument) that are known by now."""


def sort(
    folders: Sequence[Path],
    culprits: Sequence[KnownCulprit],
    until: float = math.inf,
) -> list[Triaged]:
    """Match the findings in folders with the culprits that account for them, and group the remaining findings.

    Sorting stops at ``until``, a time on the monotonic clock. Findings without a result by then must be sorted again.
    If our own code fails on a finding, that failure is the finding's result.
    """
    began = time.monotonic()
    results: list[Triaged] = []
    with TimeLimit(until):
        for result in _sorted(folders, culprits):
            results.append(result)  # one by one: those so far stay when the time is up
    seconds = (time.monotonic() - began) / max(len(results), 1)
    return [replace(result, seconds=seconds) for result in results]


def _sorted(folders: Sequence[Path], culprits: Sequence[KnownCulprit]) -> Iterator[Triaged]:
    """Yield the result of each finding.

    If our own code fails, sort the remaining findings in halves, so that only the finding at fault is lost.
    """
    left = {folder.name: folder for folder in folders}
    try:
        for result in _each(folders, culprits):
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
            yield from _sorted(half, culprits)


def _each(folders: Sequence[Path], culprits: Sequence[KnownCulprit]) -> Iterator[Triaged]:
    """Yield the result of each finding. Raises EnvironmentProblem where the compiler does not start."""
    findings: list[Stored] = []
    for folder in folders:
        try:
            findings.append(load(folder))
        except (FindingError, FormatError) as problem:
            yield Triaged(name=folder.name, problem=str(problem))
    for name, found in groups.sort(findings, culprits):
        if isinstance(found, groups.Group):
            yield Triaged(name=name, group=found)
        else:
            yield Triaged(name=name, cause=found.cause, why=found.evidence)


def triage(
    folder: Path,
    culprits: KnownCulprits,
    time_s: float,
    rules: Sequence[Rule] = (),
    until: float = math.inf,
) -> Triaged:
    """Triage the finding in a folder, and write the reduced finding to ``reduced`` in that folder.

    ``time_s`` is the time limit of reduction in seconds, and again of bisection. ``rules`` may explain the finding; the
    default is the rules that come with Polyjuice. Triage stops at ``until``, a time on the monotonic clock, and
    reduction takes at most half of the time until then. If reduction finished, the next triage continues with its
    result. ``culprits`` is called only after reduction, because others may have found causes meanwhile.
    """
    began = time.monotonic()
    result = Triaged(name=folder.name, ended=True)
    with TimeLimit(until):
        try:
            result = _triage(load(folder), culprits, time_s, rules, until)
        except (FindingError, FormatError, Unlowerable, EnvironmentProblem, reduction.NotShown) as problem:
            result = Triaged(name=folder.name, problem=str(problem) or "it no longer shows")
    return replace(result, seconds=time.monotonic() - began)


def _triage(stored: Stored, culprits: KnownCulprits, time_s: float, rules: Sequence[Rule], until: float) -> Triaged:
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
    others = culprits(record["compiler"], small.record.versions[record["compiler"]])
    if same := next((culprit for culprit in others if culprit.accounts_for(record)), None):
        return Triaged(name=name, cause=same.cause, why=f"reduced and bisected, {same.evidence}")
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


def _accounting(stored: Stored, culprits: KnownCulprits) -> KnownCulprit | None:
    """Return the first culprit without whose parts a reduced finding vanishes, and whose pattern it has."""
    record, compiler = stored.record, stored.record.compiler
    alike = [s for s in culprits(compiler, record.versions[compiler]) if s.may_account_for(asdict(record))]
    if not alike:
        return None
    case = stored.case()
    number = bisection.accounting([s.blame for s in alike], lambda parts: bisection.without(stored, case, parts))
    return None if number is None else alike[number]
