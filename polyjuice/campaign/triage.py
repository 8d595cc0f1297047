"""A campaign's triage: choose the next findings to sort or triage, find time for them, and publish the results."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyjuice.campaign.clock import Schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Distinct, Store, Untriaged
from polyjuice.compilers import find
from polyjuice.triage import known_list
from polyjuice.triage.automatic import Triaged, reduced_folder
from polyjuice.triage.causes import KnownCulprit, fails
from polyjuice.triage.stored import annotate
from polyjuice.wording import counted

#: The most other findings with the same cause that a published finding lists.
_EXAMPLES = 20

#: After the last case of a campaign with ``-n``, there is time to triage at least this many findings.
_LEAST = 2

#: How many findings are sorted together: on a fast compiler, and where a compilation takes seconds.
_SORTED, _SORTED_SLOWLY = 50, 16

#: The share of its time that a campaign's only process gives to triage while there are cases to run.
_SHARE = 1 / 4

#: The expected length of a campaign's first triage job, in seconds.
_FIRST_S = 15.0

#: The least time for the reduction of a finding, and for its bisection, in seconds: some compilations of Inductor.
_LEAST_S = 15.0

UNTRIAGED = "untriaged.md"
"""The file in a campaign's ``findings`` that lists findings without a cause."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """Findings to sort, or one to triage, by their folders; ``end`` is the time limit on the monotonic clock.

    Reduction and bisection have ``time_s`` seconds each.
    A sorting job compares them with ``culprits``; afterwards they have been compared with the first ``known`` culprits.
    """

    folders: Sequence[Path]
    end: float
    time_s: float = 0.0
    culprits: Sequence[KnownCulprit] = ()
    known: int = 0
    sorts: bool = False


class Turns:
    """Decides when a campaign's only process turns from cases to triage, so that triage keeps to its share."""

    def __init__(self, first_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """``first_s`` is the expected length of the first job in seconds; for later jobs, the average so far counts."""
        self._clock = clock
        self._began = clock()
        self._first_s = first_s
        self._spent_s, self._jobs = 0.0, 0

    def finish(self, seconds: float) -> None:
        """Record how long a job took."""
        self._spent_s += seconds
        self._jobs += 1

    @property
    def due(self) -> bool:
        """Whether triage stays within its share if one more job runs."""
        expected_s = self._spent_s / self._jobs if self._jobs else self._first_s
        return self._spent_s + expected_s <= _SHARE * (self._clock() - self._began)


class Triage:
    """The findings of a campaign on their way through triage.

    Sorting comes first: it attributes findings to known causes, or puts them into groups. Then triage takes one finding
    of the largest group, and compares the others with its cause. While cases run, triage has half of the processes, or
    a share of the time of a single one. Afterwards it has all processes until the schedule ends. In a campaign with a
    number of cases, that is for as long as the cases took.
    """

    def __init__(self, config: Config, store: Store) -> None:
        """Raises KnownError, OSError."""
        self._config = config
        self._store = store
        self._bugs = known_list.of(config.known)
        self._running: dict[str, Untriaged] = {}
        self._jobs = 0
        self._turns = Turns(_FIRST_S)
        self._over = False
        """Whether a job ran out of time. Support probing may move the end later, but no further job starts."""
        self._culprits = store.culprits()
        """All culprits so far, in the order of their discovery: findings were compared with the first ones of them."""
        self._joined: dict[str, str] = {}
        """Maps each earlier cause to the cause that accounts for it."""

    def next(self, schedule: Schedule, cases: bool) -> Job | None:
        """The next job; None where there is nothing to do, or no time.

        ``cases`` says whether the campaign still runs cases.
        """
        if not self._config.triage_s or not self._has_time_left(cases) or self._late(schedule, cases):
            return None
        waiting = [finding for finding in self._store.untriaged() if finding.name not in self._running]
        if not waiting:
            return None
        self._learn(waiting[0].record)
        unsorted = [f for f in waiting if f.group is None or (f.culprits < len(self._culprits) and not f.group.alike)]
        if unsorted:
            return self._sort(unsorted, schedule.end)
        busy = {finding.grouped for finding in self._running.values()}
        free = [finding for finding in waiting if finding.grouped not in busy]
        return self._triage(free, schedule.end) if free else None

    def _has_time_left(self, cases: bool) -> bool:
        """Whether a process is free for another job."""
        workers = self._config.workers
        if cases and workers == 1:
            return not self._jobs and self._turns.due
        return self._jobs < (workers // 2 if cases else workers)

    def _learn(self, record: Mapping[str, Any]) -> None:
        """Record new culprits."""
        compiler, version = record["compiler"], record["versions"][record["compiler"]]
        there = set(self._culprits)
        found = culprits(self._store, self._bugs, compiler, version)
        new = [culprit for culprit in found if culprit not in there]
        if new:
            self._store.add_culprits(new)
            self._culprits += new

    def _sort(self, unsorted: Sequence[Untriaged], end: float) -> Job:
        """Sort some findings that have been compared with equally many culprits so far."""
        by_now = unsorted[0].culprits
        alike = [finding for finding in unsorted if finding.culprits == by_now]
        size = _SORTED if find(self._config.compiler).fast else _SORTED_SLOWLY
        return self._job(alike[:size], end, culprits=self._culprits[by_now:], known=len(self._culprits), sorts=True)

    def _triage(self, waiting: Sequence[Untriaged], end: float) -> Job:
        """Triage the smallest finding of the largest group.

        Among groups of one size, wrong results come before failures, which users notice by themselves.
        """
        sizes = Counter(finding.grouped for finding in waiting)

        def order(finding: Untriaged) -> tuple[Any, ...]:
            return -sizes[finding.grouped], fails(finding.record["kind"]), finding.grouped, finding.operators

        return self._job([min(waiting, key=order)], end, time_s=self._time_s(len(sizes), end))

    def _time_s(self, groups: int, end: float) -> float:
        """The seconds for reduction, and for bisection, of a finding: its share if that many groups wait until ``end``.

        So a campaign that is about to end reports many causes, and reduces each less.
        """
        left_s = (end - time.monotonic()) * self._config.workers
        return min(self._config.triage_s, max(left_s / (2 * groups), _LEAST_S))

    def _job(self, findings: Sequence[Untriaged], end: float, **more: Any) -> Job:
        self._running |= {finding.name: finding for finding in findings}
        self._jobs += 1
        return Job(folders=[self._store.folder / "raw" / finding.name for finding in findings], end=end, **more)

    def _late(self, schedule: Schedule, cases: bool) -> bool:
        """Whether there is no time for another finding."""
        if cases:
            return False
        least_s = 2 * _LEAST * self._config.triage_s
        over = self._config.cases is not None and schedule.since_cases_s > max(schedule.cases_s, least_s)
        return self._over or over or time.monotonic() >= schedule.end

    def finish(self, job: Job, results: Sequence[Triaged]) -> list[str]:
        """Store the results of a job. For each, return the URL of the known bug that it turned out to be, or ""."""
        self._jobs -= 1
        findings = {folder.name: self._running.pop(folder.name) for folder in job.folders}
        self._over = self._over or len(results) < len(findings) or any(result.ended for result in results)
        seconds = sum(result.seconds for result in results)
        self._turns.finish(seconds)
        with self._store.transaction():
            self._store.add_triage_time(seconds)
            urls = [self._finish(findings[result.name], result, job.known) for result in results]
        self.publish()
        return urls

    def _finish(self, finding: Untriaged, triaged: Triaged, held_against: int) -> str:
        if triaged.ended:
            return ""
        if triaged.group:
            self._store.add_group(triaged.name, triaged.group, held_against)
            if cause := self._store.causes_of_groups().get(triaged.group.text):
                self._store.add_triaged(Triaged(name=triaged.name, cause=cause))
            return ""
        record = finding.record
        triaged = replace(triaged, cause=self._now(triaged.cause) or record["signature"])
        compiler, version = record["compiler"], record["versions"][record["compiler"]]
        bug = known_list.find(self._bugs, compiler, version, triaged.cause)
        if bug and bug.is_in(version):
            self._store.add_triaged(triaged, bug.url)
            return bug.url
        if bug and triaged.record:
            triaged = replace(triaged, record={**triaged.record, "regression": bug.url})
        self._store.add_triaged(triaged)
        self._join(triaged)
        self._take_along(finding, triaged.cause)
        return ""

    def _join(self, triaged: Triaged) -> None:
        """Attribute findings of earlier causes to this cause, where it accounts for them."""
        if not triaged.record:
            return
        culprit = KnownCulprit(triaged.record["kind"], triaged.cause, tuple(triaged.record["blame"]))
        for other in self._store.causes():
            if other.cause != triaged.cause and other.reduced and culprit.accounts_for(other.record):
                self._store.join_causes(other.cause, triaged.cause)
                before = [other.cause, *(old for old, now in self._joined.items() if now == other.cause)]
                self._joined |= dict.fromkeys(before, triaged.cause)

    def _now(self, cause: str) -> str:
        """The cause that a cause is now part of, usually itself."""
        return self._joined.get(cause, cause)

    def _take_along(self, finding: Untriaged, cause: str) -> None:
        """Attribute the group's other findings to this cause, if the group certainly has one cause."""
        if self._store.causes_of_groups().get(finding.grouped) == cause:
            for other in self._store.untriaged():
                if other.grouped == finding.grouped and other.name not in self._running:
                    self._store.add_triaged(Triaged(name=other.name, cause=cause))

    def publish(self) -> None:
        """Keep one folder of each cause in the campaign's ``findings``, with its number of other findings.

        A file beside these folders lists findings without a cause. In a campaign without triage, each group has a
        folder.
        """
        folder = self._store.folder / "findings"
        groups = self._store.groups()
        reported = self._store.causes() + ([] if self._config.triage_s else groups)
        for other in {path.name for path in folder.iterdir() if path.is_dir()} - {one.name for one in reported}:
            shutil.rmtree(folder / other)
        for distinct in reported:
            _publish(distinct, self._store.folder / "raw" / distinct.name, folder / distinct.name)
        _sum_up(groups if self._config.triage_s else [], folder / UNTRIAGED)


def culprits(store: Store, bugs: Sequence[known_list.KnownBug], compiler: str, version: str) -> list[KnownCulprit]:
    """The causes found so far and the known bugs that have a part of the compiler to blame."""
    reported = [
        (b.signature.partition(" ")[0], b.signature, b.blame)
        for b in bugs
        if b.compiler == compiler and b.is_in(version)
    ]
    reported += [(one.record["kind"], one.cause, tuple(one.record["blame"])) for one in store.causes()]
    return [KnownCulprit(kind, cause, blame) for kind, cause, blame in reported if cause and blame]


def _sum_up(groups: Sequence[Distinct], path: Path) -> None:
    """Write the findings without a cause, group by group; without any, remove the file."""
    if not groups:
        path.unlink(missing_ok=True)
        return
    ordered = sorted(groups, key=lambda group: -len(group.others))
    count = sum(1 + len(group.others) for group in groups)
    lines = [
        "# Not yet triaged",
        "",
        f"{counted(count, 'finding')} in {counted(len(groups), 'group')}. "
        "Findings of a group most likely share one cause.",
        f"`polyjuice fuzz --resume {path.parent.parent}` continues their triage.",
        "",
        "| findings | smallest | message | group |",
        "|---|---|---|---|",
    ]
    for group in ordered:
        cells = [str(1 + len(group.others)), f"raw/{group.name}", group.record["message"], group.cause]
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _publish(distinct: Distinct, raw: Path, folder: Path) -> None:
    """Copy a finding to the published folder, atomically; if it is there already, update only its counts."""
    fields = {
        "cause": distinct.cause,
        "regression": distinct.record["regression"],
        "more": len(distinct.others),
        "examples": [str(Path("raw") / name) for name in distinct.others[:_EXAMPLES]],
    }
    path = folder / "finding.json"
    there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    if there and bool(there["reduction"]) == distinct.reduced:
        if not fields.items() <= there.items():
            annotate(folder, **fields)
        return
    source = reduced_folder(raw) if distinct.reduced else raw
    staged = folder.with_name(f".{folder.name}")
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(source, staged, ignore=shutil.ignore_patterns(reduced_folder(raw).name))
    annotate(staged, **fields)
    old = folder.with_name(f".old-{folder.name}")
    if folder.exists():
        folder.rename(old)
    staged.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
