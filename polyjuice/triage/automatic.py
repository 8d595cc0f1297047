"""Triage without a person: a finding is reduced, bisected, and given a cause, or joins one that is known."""

from __future__ import annotations

import math
import shutil
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule
from polyjuice.lower import Unlowerable
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import bisection, groups, reduction
from polyjuice.triage.causes import Suspect, cause_of
from polyjuice.triage.groups import Group
from polyjuice.triage.stored import FindingError, Stored, load


@dataclass(frozen=True)
class Triaged:
    """What triage has made of the finding of that ``name``: the ``cause`` that others share, too.

    ``record`` is what ``finding.json`` says of what it was reduced to; None where another finding has its cause, or
    where it was not reduced: ``problem`` then says why, ``defect`` where that is a fault of our own, and ``cause`` is
    "". A finding that was only sorted has a ``group``, and no cause yet. With ``ended`` nothing has been made of it
    yet: the time for triage was over before.
    """

    name: str
    cause: str = ""
    record: Mapping[str, Any] | None = None
    group: Group | None = None
    problem: str = ""
    defect: str = ""
    ended: bool = False
    seconds: float = 0.0


Suspects = Callable[[str, str], Sequence[Suspect]]
"""What may account for findings of a compiler in a version, as far as is known when this is asked."""


def sort(folders: Sequence[Path], suspects: Sequence[Suspect], until: float = math.inf) -> list[Triaged]:
    """Lay the findings in folders to the suspects that account for them, and group the others.

    At ``until``, on the monotonic clock, it is ended wherever it is: what has no result then is to be sorted again.
    A failure of our own code on a finding is its result.
    """
    began = time.monotonic()
    results: list[Triaged] = []
    with TimeLimit(until):
        for result in _sorted(folders, suspects):
            results.append(result)  # one by one: those so far stay when the time is up
    seconds = (time.monotonic() - began) / max(len(results), 1)
    return [replace(result, seconds=seconds) for result in results]


def _sorted(folders: Sequence[Path], suspects: Sequence[Suspect]) -> Iterator[Triaged]:
    """The result of each finding.

    Where our own code fails, the rest is sorted in halves: the failure costs only the finding that causes it.
    """
    left = {folder.name: folder for folder in folders}
    try:
        for result in _each(folders, suspects):
            del left[result.name]
            yield result
    except EnvironmentProblem as problem:
        yield from (Triaged(name, problem=str(problem)) for name in left)
    except Exception:  # noqa: BLE001 - it is the finding's result
        if len(left) < 2:
            yield from (Triaged(name, defect=traceback.format_exc()) for name in left)
            return
        rest = [*left.values()]
        for half in (rest[: len(rest) // 2], rest[len(rest) // 2 :]):
            yield from _sorted(half, suspects)


def _each(folders: Sequence[Path], suspects: Sequence[Suspect]) -> Iterator[Triaged]:
    """The result of each finding. Raises EnvironmentProblem where the compiler does not start."""
    findings: list[Stored] = []
    for folder in folders:
        try:
            findings.append(load(folder))
        except FindingError as problem:
            yield Triaged(folder.name, problem=str(problem))
    for name, found in groups.sort(findings, suspects):
        yield Triaged(name, cause=found) if isinstance(found, str) else Triaged(name, group=found)


def triage(
    folder: Path, suspects: Suspects, time_s: float, rules: Sequence[Rule] = (), until: float = math.inf
) -> Triaged:
    """Triage the finding in a folder; what it is reduced to is put into ``reduced`` there.

    Suspects are asked for after it is reduced: others may have been found meanwhile. Reduction has so many seconds, and
    bisection as many again. ``rules`` are those that may explain it (none given: those that come with Polyjuice). At
    ``until``, on the monotonic clock, triage is ended wherever it is. Of the time until then reduction has no more than
    half. Where that came to its end, the next triage goes on with its result.
    """
    began = time.monotonic()
    result = Triaged(folder.name, ended=True)
    with TimeLimit(until):
        try:
            cause, record = _triage(load(folder), suspects, time_s, rules, until)
            result = Triaged(folder.name, cause, record)
        except (FindingError, Unlowerable, EnvironmentProblem, reduction.NotShown) as problem:
            result = Triaged(folder.name, problem=str(problem) or "it does not show any more")
    return replace(result, seconds=time.monotonic() - began)


def _triage(
    stored: Stored, suspects: Suspects, time_s: float, rules: Sequence[Rule], until: float
) -> tuple[str, Mapping[str, Any] | None]:
    if stored.record.kind == "hang":
        raise FindingError("every trial would take as long as the time limit allows")
    small = _reduced_before(stored)
    if not small:
        shutil.rmtree(reduced_folder(stored.folder), ignore_errors=True)
        half_s = (until - time.monotonic()) / 2
        reduction.reduce(stored, reduced_folder(stored.folder), min(time_s, half_s), rules=rules)
        small = load(reduced_folder(stored.folder))
    if cause := _accounting(small, suspects):
        return cause, None
    try:
        found = bisection.bisect(small, time_s, alternatives=_alternatives(small))
    except FindingError:  # nothing of this compiler can be switched off
        small.annotate(cause=cause_of(small.record, small.graphs, ()))
    else:
        bisection.store(small, found)
    record = small.annotate(folder=stored.folder.name)
    others = suspects(record["compiler"], small.record.versions[record["compiler"]])
    told = next((suspect.cause for suspect in others if suspect.accounts_for(record)), "")
    return (told, None) if told else (record["cause"], record)


def _alternatives(stored: Stored) -> int:
    """How many further sets of parts bisection looks for: a compilation of seconds makes each as long as the first."""
    return bisection.ALTERNATIVES if stored.compiler.fast else 1


def _reduced_before(stored: Stored) -> Stored | None:
    """What a triage that was ended has left of a finding, where the reduction had come to its end."""
    folder = reduced_folder(stored.folder)
    if not (folder / "report.md").is_file():  # which is written last
        return None
    small = load(folder)
    return small if small.record.reduction.get("finished") else None


def reduced_folder(folder: Path) -> Path:
    """Where a finding's reduction is put unless another place is named."""
    return folder / "reduced"


def _accounting(stored: Stored, suspects: Suspects) -> str:
    """The cause of the suspect without whose parts the finding does not show; "" if there is none."""
    record, compiler = stored.record, stored.record.compiler
    alike = [s for s in suspects(compiler, record.versions[compiler]) if s.may_account_for(record.kind)]
    if not alike:
        return ""
    case = stored.case()
    number = bisection.accounting([s.blame for s in alike], lambda parts: bisection.without(stored, case, parts))
    return "" if number is None else alike[number].cause
