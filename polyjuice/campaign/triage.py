"""A campaign's triage: its findings in memory, the next jobs for them, and what is published of them.

The database is read once, when a run begins. Then each result changes only what it concerns, so that nothing takes
longer the more findings there are.
"""

from __future__ import annotations

import json
import shutil
import time
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from polyjuice.campaign import schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.schedule import Timing, TriageShare
from polyjuice.campaign.store import FindingState, Store
from polyjuice.compilers import find
from polyjuice.triage import FindingRecord, known_list
from polyjuice.triage.automatic import Group, Triaged, reduced_folder
from polyjuice.triage.causes import KnownCulprit, fails, narrow
from polyjuice.triage.ranking import Rank, rank
from polyjuice.triage.stored import annotate, load
from polyjuice.wording import counted

_EXAMPLES = 20
"""The most other findings with the same cause that a published finding lists."""

DUPLICATES = "duplicates.md"
"""The file in a campaign's folder that lists duplicates, each with the finding that it repeats."""

LISTED = "findings.md"
"""The file in a campaign's folder that lists what is in ``findings``, the one to look at first in the first row."""

UNTRIAGED = "untriaged.md"
"""The file in a campaign's ``findings`` that lists findings without a cause."""


@dataclass(frozen=True, kw_only=True)
class TriageJob:
    """Findings to sort, or one to triage, by their names; ``end`` is the time limit on the monotonic clock.

    Reduction and bisection have ``time_s`` seconds each. Findings are compared with ``culprits``. After sorting, they
    have been compared with the first ``known`` culprits. ``groups`` has the groups of findings that have one.
    """

    names: Sequence[str]
    end: float
    time_s: float = 0.0
    culprits: Sequence[KnownCulprit] = ()
    groups: Mapping[str, Group] = field(default_factory=dict)
    known: int = 0
    sorts: bool = False


class Triage:
    """The findings of a campaign on their way through triage.

    Sorting comes first: it attributes findings to known causes, or puts them into groups. Then triage takes one finding
    of each group, from the largest group on, and compares the others with its cause. A further finding of a group waits
    until no group is without a cause.
    """

    def __init__(self, config: Config, store: Store) -> None:
        """Raises KnownError, OSError."""
        self._config = config
        self._store = store
        self._folder = store.folder / "findings"
        self._bugs = known_list.KnownBugs(config.known)
        self._share = TriageShare(time.monotonic())
        self._jobs = 0
        self._over = False
        """Whether a job ran out of time. Support probing may move the end later, but no further job starts."""
        self._culprits = store.culprits()
        """All culprits so far, in the order of their discovery: findings were compared with the first ones of them."""
        self._knows_bugs = False
        """Whether the culprits include those of the known bugs, which depend on the version in the first finding."""
        self._joined: dict[str, str] = {}
        """Maps each earlier cause to the cause that accounts for it."""
        self._running: dict[str, FindingState] = {}
        self._waiting: dict[str, FindingState] = {}
        """All findings without a cause."""
        self._unsorted: dict[int, dict[str, FindingState]] = {}
        """Those to sort, by the number of culprits that each was compared with."""
        self._groups: dict[str, list[Rank]] = {}
        """The others, by group: the ranks of the findings, in order."""
        self._explained: Counter[str] = Counter()
        """The number of findings of each group that have a cause."""
        self._busy: set[str] = set()
        """The groups of which a finding is triaged now."""
        self._causes: dict[str, list[tuple[bool, int, str]]] = {}
        """The findings of each cause: whether it has no record, its index and its name. The first stands for all."""
        self._records: dict[str, Mapping[str, Any]] = {}
        """The record of the reduced finding of each cause that has one."""
        self._shows_exact = False
        """Whether one of the causes is of an exactly wrong value."""
        self._causes_of_groups: dict[str, set[str]] = {}
        self._changed: set[str] = set()
        """The causes to publish."""
        self._published: dict[tuple[str, str], str] = {}
        """The folders in ``findings``, by "cause" or "group" and its text."""
        for state, cause, record in store.findings():
            if cause:
                self._settle(state, cause, record)
            else:
                self._place(state)
        self._publish_all()

    def add(self, findings: Iterable[FindingRecord]) -> None:
        """Take new findings."""
        for finding in findings:
            self._place(FindingState.of(asdict(finding)))
            if not self._config.triage_s:
                self._publish("group", finding.signature)

    def next(self, timing: Timing, workers: int, *, cases: bool) -> TriageJob | None:
        """The next job; None where there is nothing to do, or no time. ``cases`` says whether cases still run."""
        config, now = self._config, time.monotonic()
        if self._over or not config.triage_s:
            return None
        waiting = sum(map(len, self._unsorted.values())) + len(self._groups)
        jobs, share, shows = self._jobs, self._share, self._shows_best()
        if not schedule.triage_has_process(jobs, waiting, workers, share, timing, now, cases=cases, shows=shows):
            return None
        if not cases and schedule.triage_is_over(timing, now, config.cases, config.triage_s):
            return None
        if self._unsorted:
            return self._sort(timing.end)
        if group := self._next_group():
            free = len(self._groups) - len(self._busy & self._groups.keys())
            time_s = schedule.triage_time_s(free, timing.end - now, workers, config.triage_s)
            return self._triage(group, timing.end, time_s)
        return None

    def _shows_best(self) -> bool:
        """Whether there is a cause, and if any finding is an exactly wrong value, the cause of one."""
        if not self._causes or self._shows_exact:
            return bool(self._causes)
        return not any(one.rank.is_exact_value for one in self._waiting.values())

    def _sort(self, end: float) -> TriageJob:
        by_now = min(self._unsorted)
        bucket = self._unsorted[by_now]
        names = [*bucket][: schedule.sorted_together(fast=find(self._config.compiler).fast)]
        states = [bucket.pop(name) for name in names]
        if not bucket:
            del self._unsorted[by_now]
        culprits, known = self._culprits[by_now:], len(self._culprits)
        groups = {state.name: state.group for state in states if state.group}
        return self._job(states, end, culprits=culprits, groups=groups, known=known, sorts=True)

    def _next_group(self) -> str:
        """The group whose finding is triaged next; "" if there is none."""

        def order(group: str) -> tuple[Any, ...]:
            members = self._groups[group]
            return *schedule.triage_order(self._explained[group], len(members), members[0]), group

        return min((group for group in self._groups if group not in self._busy), key=order, default="")

    def _triage(self, group: str, end: float, time_s: float) -> TriageJob:
        state = self._waiting[self._groups[group].pop(0).name]
        if not self._groups[group]:
            del self._groups[group]
        self._busy.add(group)
        return self._job([state], end, time_s=time_s, culprits=[*self._culprits])

    def _job(self, states: Sequence[FindingState], end: float, **more: Any) -> TriageJob:
        self._running |= {state.name: state for state in states}
        self._jobs += 1
        return TriageJob(names=[state.name for state in states], end=end, **more)

    def finish(self, job: TriageJob, results: Sequence[Triaged]) -> list[str]:
        """Store the results of a job. For each, return the URL of the known bug that it turned out to be, or ""."""
        self._jobs -= 1
        states = {name: self._running.pop(name) for name in job.names}
        for state in () if job.sorts else states.values():
            self._busy.discard(state.grouped)
        self._over = self._over or len(results) < len(states) or any(result.ended for result in results)
        seconds = sum(result.seconds for result in results)
        self._share.count(seconds)
        with self._store.transaction():
            self._store.add_triage_time(seconds)
            urls = [self._finish(states.pop(result.name), result, job.known) for result in results]
        for state in states.values():
            self._place(state)
        while self._changed:
            self._publish("cause", self._changed.pop())
        return urls

    def _finish(self, state: FindingState, triaged: Triaged, compared: int) -> str:
        if triaged.ended:
            self._place(state)
            return ""
        if triaged.group:
            self._store.add_group(triaged.name, triaged.group, compared)
            state = replace(state, group=triaged.group, culprits=compared)
            self._attribute_or_place(state)
            return ""
        if triaged.record and (same := self._accounting(triaged.record)):
            triaged = replace(triaged, cause=same.cause, record=None, why=f"reduced and bisected, {same.evidence}")
        triaged = replace(triaged, cause=self._now(triaged.cause) or state.signature)
        if triaged.record and triaged.cause in self._records:
            triaged = replace(triaged, record=None, why="its own reduction and bisection lead to the same cause")
        bug = known_list.find(self._bugs.now, state.compiler, state.version, triaged.cause)
        if bug and bug.is_in(state.version) and not self._config.show_known:
            self._store.add_triaged(triaged, bug.url)
            del self._waiting[state.name]
            self._explained[state.grouped] += 1
            return bug.url
        if bug and triaged.record:
            reduced = load(reduced_folder(self._store.folder / "raw" / state.name))
            triaged = replace(triaged, record=reduced.annotate(**bug.mark(state.version)))
        self._store.add_triaged(triaged)
        self._settle(state, triaged.cause, triaged.record)
        if triaged.record:
            self._store.set_meta("last_cause", str(time.time()))
            self._join(triaged.cause, triaged.record)
        if self._only_cause(state) == triaged.cause:
            for one in self._groups.pop(state.grouped, ()):
                self._attribute_or_place(self._waiting[one.name])
        return ""

    def _accounting(self, record: Mapping[str, Any]) -> KnownCulprit | None:
        """The culprit that accounts for a reduced finding; another process may have found it meanwhile."""
        return next((culprit for culprit in self._culprits if culprit.accounts_for(record)), None)

    def _place(self, state: FindingState) -> None:
        self._waiting[state.name] = state
        if self._config.triage_s and not self._config.show_known and not self._knows_bugs:
            self._knows_bugs = True
            here = [b for b in self._bugs.now if b.compiler == state.compiler and b.is_in(state.version)]
            self._learn([KnownCulprit(b.signature.partition(" ")[0], b.signature, b.blame, b.operators) for b in here])
        compared = state.group and (state.group.alike or state.culprits >= len(self._culprits))
        if compared or not self._config.triage_s:
            insort(self._groups.setdefault(state.grouped, []), state.rank)
        else:
            self._unsorted.setdefault(state.culprits, {})[state.name] = state

    def _only_cause(self, state: FindingState) -> str:
        """The cause of a finding's group if it certainly has only one: all of its triaged findings agree; else "".

        Findings of the group are either failures, or it is `alike` and no part of the compiler is to blame.
        """
        causes = self._causes_of_groups.get(state.grouped, set()) if state.group else ()
        if len(causes) != 1 or not state.group:
            return ""
        (cause,) = causes
        if fails(state.kind):
            return cause
        record = self._records.get(cause)
        certain = state.group.alike and record and not narrow(record["compiler"], record["blame"])
        return cause if certain else ""

    def _attribute_or_place(self, state: FindingState) -> None:
        """Store its group's only cause, if the program of a wrong result has that cause's pattern; else let it wait."""
        cause = self._only_cause(state)
        if cause and (fails(state.kind) or {*self._records[cause]["pattern"]} <= {*state.pattern}):
            same = "it fails with the same error" if fails(state.kind) else "the first wrong result is the same"
            self._store.add_triaged(Triaged(name=state.name, cause=cause, why=f"{same}: {state.grouped}"))
            self._settle(state, cause, None)
        else:
            self._place(state)

    def _settle(self, state: FindingState, cause: str, record: Mapping[str, Any] | None) -> None:
        self._waiting.pop(state.name, None)
        self._explained[state.grouped] += 1
        insort(self._causes.setdefault(cause, []), (record is None, state.index, state.name))
        self._changed.add(cause)
        if state.group:
            self._causes_of_groups.setdefault(state.grouped, set()).add(cause)
        if record:
            self._records.setdefault(cause, record)
            self._shows_exact = self._shows_exact or rank(record).is_exact_value
            self._learn([KnownCulprit.of(record, cause)])

    def _learn(self, culprits: Iterable[KnownCulprit]) -> None:
        new = [one for one in culprits if one.cause and one.blame and one not in self._culprits]
        if not new:
            return
        self._store.add_culprits(new)
        self._culprits += new
        firsts = [self._waiting[members[0].name] for members in self._groups.values()]
        for first in firsts:
            if first.group and not first.group.alike:
                for one in self._groups.pop(first.grouped):
                    self._place(self._waiting[one.name])

    def _join(self, cause: str, record: Mapping[str, Any]) -> None:
        culprit = KnownCulprit.of(record, cause)
        for old in [old for old, other in self._records.items() if old != cause and culprit.accounts_for(other)]:
            self._store.join_causes(old, cause, f"reduced and bisected, {culprit.evidence}")
            del self._records[old]
            for _, index, name in self._causes.pop(old):
                insort(self._causes[cause], (True, index, name))
            self._culprits = [replace(one, cause=cause) if one.cause == old else one for one in self._culprits]
            for causes in self._causes_of_groups.values():
                if old in causes:
                    causes.discard(old)
                    causes.add(cause)
            self._joined[old] = cause
            self._changed.add(old)

    def _now(self, cause: str) -> str:
        """The cause that a cause is now part of, usually itself."""
        while cause in self._joined:
            cause = self._joined[cause]
        return cause

    def _publish_all(self) -> None:
        """Keep one folder of each cause in the campaign's ``findings``, and without triage one of each group."""
        while self._changed:
            self._publish("cause", self._changed.pop())
        for group in () if self._config.triage_s else self._groups:
            self._publish("group", group)
        for name in {path.name for path in self._folder.iterdir() if path.is_dir()} - {*self._published.values()}:
            shutil.rmtree(self._folder / name)

    def _publish(self, what: str, text: str) -> None:
        """Update the folder of a cause or a group: a finding that stands for all, with the number of others."""
        members: Sequence[tuple[Any, ...]] = (self._causes if what == "cause" else self._groups).get(text, ())
        names = [name for *_, name in members[: 1 + _EXAMPLES]]
        old = self._published.pop((what, text), "")
        if old and old not in names[:1]:
            shutil.rmtree(self._folder / old)
        if names:
            self._published[what, text] = names[0]
            fields = {"cause": text, "more": len(members) - 1, "examples": [f"raw/{name}" for name in names[1:]]}
            record = self._records.get(text) if what == "cause" else None
            fields |= {name: record.get(name, "") for name in ("regression", "known")} if record else {}
            raw = self._store.folder / "raw" / names[0]
            _copy(reduced_folder(raw) if record else raw, self._folder / names[0], fields)

    def write_lists(self) -> None:
        """Write the lists of findings, of duplicates, and of findings without a cause; remove empty ones."""
        folder, why = self._store.folder, self._store.reasons()
        causes, groups = self._store.causes(), self._store.groups()
        shown = [*causes, *([] if self._config.triage_s else groups)]
        rows = [[one.name, one.record["message"], one.record.get("known") or "new"] for one in shown]
        lead = "The first one to look at comes first: exact, silent, usual, small and new findings."
        _write_table(folder / LISTED, "Findings", lead, ["finding", "message", "known"], rows)
        groups = groups if self._config.triage_s else []
        rows = [[f"raw/{name}", one.name, why[name], one.cause] for one in causes for name in one.others]
        lead = "Each of these findings has the cause of another one, which is reported."
        _write_table(folder / DUPLICATES, "Duplicates", lead, ["finding", "duplicate of", "why", "cause"], rows)
        groups.sort(key=lambda one: -len(one.others))
        sizes = [1 + len(one.others) for one in groups]
        lead = (
            f"{counted(sum(sizes), 'finding')} in {counted(len(groups), 'group')}. "
            "Findings of a group most likely share one cause.\n"
            f"`polyjuice fuzz --resume {folder}` continues their triage."
        )
        rows = [
            [str(size), f"raw/{one.name}", one.record["message"], one.cause]
            for size, one in zip(sizes, groups, strict=True)
        ]
        heads = ["findings", "smallest", "message", "group"]
        _write_table(self._folder / UNTRIAGED, "Not yet triaged", lead, heads, rows)


def _write_table(path: Path, title: str, lead: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        path.unlink(missing_ok=True)
        return
    lines = [f"# {title}", "", lead, "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in row) + " |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _copy(source: Path, folder: Path, fields: Mapping[str, Any]) -> None:
    """Copy a finding to a published folder, atomically. If it is there already, update only these fields."""
    path = folder / "finding.json"
    there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    if there and bool(there["reduction"]) == (source == reduced_folder(source.parent)):
        if not fields.items() <= there.items():
            annotate(folder, **fields)
        return
    staged = folder.with_name(f".{folder.name}")
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(source, staged, ignore=shutil.ignore_patterns(reduced_folder(source).name))
    annotate(staged, **fields)
    old = folder.with_name(f".old-{folder.name}")
    if folder.exists():
        folder.rename(old)
    staged.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
