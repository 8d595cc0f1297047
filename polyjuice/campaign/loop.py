"""The campaign loop: send cases and findings to processes, and store their results as they arrive."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from polyjuice import interrupts
from polyjuice.campaign import processes, schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.pool import Pool, Processes, Setup
from polyjuice.campaign.processes import Ran
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Rounds, Task, Tasks, Timing
from polyjuice.campaign.store import Store
from polyjuice.campaign.triage import Triage, TriageJob
from polyjuice.compilers import EnvironmentProblem, find
from polyjuice.egraph import Rule
from polyjuice.execution.space import shortage
from polyjuice.oracles.zeros import ZEROS
from polyjuice.plugins import DISTRIBUTION, installable
from polyjuice.triage import FindingRecord
from polyjuice.triage.automatic import Triaged
from polyjuice.triage.causes import fails

_TICK_S = 1.0
"""The most seconds between two reports of what the campaign does."""

_STORED_S = 5.0
"""The least seconds between two such reports in the store."""

TESTING, CONFIRMING, TRIAGING = "testing", "confirming findings", "triage"
"""What a campaign does after its start."""

_TRIES = 2
"""How often the process of a task may die before the task is given up."""

_DEATHS = (
    "the process that ran it died twice: something killed it, such as the system when memory is short, or it crashed"
)


class FalseRule(Exception):
    """One of the user's rules makes variants that are not equal to their seed graphs; the message names it."""


class Listener(Protocol):
    """Receives a campaign's results, each after it is stored."""

    def case(self, result: CaseResult) -> None:
        """Receive the result of a case."""
        ...

    def confirmed(self, result: CaseResult) -> None:
        """Receive the result of a postponed case that has run once more to confirm its findings."""

    def died(self, work: str) -> None:
        """Receive what a process of the campaign did when it died. That work is done once more."""

    def triaged(self, result: Triaged, known: str) -> None:
        """Receive a triaged finding; ``known`` is the URL of the known bug that it turned out to be, or ""."""

    def goes_on(self, phase: str, left_s: float, workers: int) -> None:
        """Receive, about once a second, what the campaign does now, and the most seconds that it may take for that.

        ``workers`` is the number of its processes.
        """

    def note(self, text: str) -> None:
        """Receive what a person should know of the campaign's processes, such as a node that has joined."""


@interrupts.deferred()
def run(config: Config, rules: Sequence[Rule], store: Store, listener: Listener) -> None:
    """Run the cases that the store does not have yet, and triage their findings. Store each result, then report it.

    Returns after the configured number of cases or time, when all findings are triaged or the time for triage is over
    (see :class:`polyjuice.campaign.schedule.Timing`). After an interrupt (KeyboardInterrupt) the store has all
    finished results. If a process dies, another does its work.

    Raises EnvironmentProblem if the compiler cannot be used, FalseRule if one of the user's rules is false. Raises
    NoSpace if a disk is full, and NoProcess if every process dies.
    """
    campaign = _Campaign(config, rules, store, listener)
    try:
        campaign.run()
    except Exception as error:
        if full := shortage(error, [store.folder]):
            raise full from None
        raise
    finally:
        campaign.end()


class _Campaign:
    def __init__(self, config: Config, rules: Sequence[Rule], store: Store, listener: Listener) -> None:
        self._store, self._listener = store, listener
        self._compiler, self._told = config.compiler, -math.inf
        pack = config.pack_of(find(config.compiler))
        self._rounds = Rounds(store.acted())
        self._tasks = Tasks(config.cases, store.done(), store.postponed(), pack=pack, rounds=self._rounds)
        self._triage = Triage(config, store)
        self._admission = Admission(store.folder / "raw", store.records())
        setup = Setup(config=config, folder=store.folder, rules=rules, reported=store.reported)
        self._pool = _pool(setup, listener.note)
        self._timing = Timing(
            time_s=config.time_s,
            before=store.spent(),
            began=time.monotonic(),
            triages=config.triage_s > 0,
        )
        self._running: dict[Future[Any], Task] = {}
        self._triaging: dict[Future[Any], TriageJob] = {}
        self._deaths: dict[Future[Any], int] = {}
        """How often a process died while it did a task or job."""
        self._has_begun: dict[Future[Any], float] = {}
        """When each task or job was first reported in the store, as seconds since the epoch."""
        self._has_results = False
        self._reports: list[Callable[[], None]] = []
        """What to tell the listener, once it is stored."""

    def run(self) -> None:
        while self._submit():
            self._pool.tend()
            self._tell()
            with interrupts.allowed():
                finished = wait({*self._running, *self._triaging}, _TICK_S, return_when=FIRST_COMPLETED).done
            self._take(finished)
        self._pool.shutdown()

    def _take(self, finished: Iterable[Future[Any]]) -> None:
        """Store all results in one transaction: to write one to the disk takes longer than all else in this loop.

        Then report them, and send the work of processes that died once more. Raises FalseRule, and what ended a task.
        """
        dead = {future for future in finished if self._pool.died(future)}
        problems: list[BaseException] = []
        with self._store.transaction():
            for future in finished:
                if future in dead:
                    continue
                task, job = self._running.pop(future, None), self._triaging.pop(future, None)
                del self._deaths[future]
                if error := future.exception():
                    problems.append(error)
                elif task:
                    problems += self._finish(task, future.result())
                elif job:
                    self._finish_triage(job, future.result())
        self._report()
        for future in dead:
            self._revive(future)
        if problems:
            raise problems[0]

    def _report(self) -> None:
        for report in self._reports:
            report()
        self._reports.clear()

    def _tell(self) -> None:
        """Tell the listener what the campaign does, and every few seconds also its store, for ``polyjuice status``."""
        now, timing = time.monotonic(), self._timing
        left_s = timing.left_s(now)
        if timing.cases_ended:
            phase, left_s = TRIAGING, timing.end - now
        elif self._has_results:
            ended = left_s <= 0 or all(task.postponed for task in self._running.values())
            phase, left_s = (CONFIRMING, timing.deadlines.cases_end - now) if ended else (TESTING, left_s)
        else:
            phase = self._pool.said().format(compiler=self._compiler)
        self._listener.goes_on(phase, left_s, self._pool.workers)
        if now - self._told > _STORED_S:
            self._told = now
            work = {**self._running, **self._triaging}
            self._has_begun = {future: self._has_begun.get(future, time.time()) for future in work}
            tasks = [(_work(self._running.get(f), self._triaging.get(f)), at) for f, at in self._has_begun.items()]
            self._store.set_meta("now", json.dumps({"phase": phase, "at": time.time(), "tasks": tasks}))

    def end(self) -> None:
        spent = self._timing.spent(time.monotonic())
        self._pool.shutdown(at_once=True)
        _save(self._store, self._triage, spent)

    def _submit(self) -> bool:
        timing = self._timing
        self._start_triage(cases=timing.cases_ended is None)
        # With one process, a triage has its turn before the next task, because a pack takes long.
        workers = self._pool.workers
        waits = workers == 1 and bool(self._triaging)
        while not waits and len(self._running) < self._tasks.ahead(workers):
            now = time.monotonic()
            task = self._tasks.next(timing.left_s(now), workers, may_confirm=now < timing.deadlines.cases_end)
            if task is None:
                break
            self._send(task)
        if not self._running and not waits:
            timing.cases_ended = timing.cases_ended or time.monotonic()
            self._start_triage(cases=False)
        return bool(self._running or self._triaging)

    def _start_triage(self, *, cases: bool) -> None:
        while job := self._triage.next(self._timing, self._pool.workers, cases=cases):
            self._send(job)

    def _send(self, work: Task | TriageJob, deaths: int = 0) -> None:
        if isinstance(work, Task):
            future = self._pool.submit(processes.run_task, work, self._timing.deadlines)
            self._running[future] = work
        else:
            future = self._pool.submit(processes.triage, work)
            self._triaging[future] = work
        self._deaths[future] = deaths

    def _revive(self, future: Future[Any]) -> None:
        """Send the work of a process that died once more. Give it up if that has happened before."""
        task, job = self._running.pop(future, None), self._triaging.pop(future, None)
        ran = self._pool.bury(future)
        deaths = self._deaths.pop(future) + ran
        if ran:
            self._store.add_death()
            self._listener.died(_work(task, job))
        if deaths < _TRIES and (work := task or job):
            self._send(work, deaths)
        elif task and not self._tasks.split(task):
            self._finish(task, Ran([CaseResult(index=i, defect=_DEATHS) for i in task.postponed or task.indices]))
        elif job:
            self._finish_triage(job, [Triaged(name=name, defect=_DEATHS) for name in job.names])
        self._report()

    def _finish(self, task: Task, ran: Ran) -> list[FalseRule]:
        """Store the results of cases and the compiler's version. Return an error for each false rule."""
        results = ran.results
        self._has_results = True
        if ran.version and ran.version != self._store.meta("version"):
            self._store.set_meta("version", ran.version)
        postponed = [result.index for result in results if result.postponed]
        seconds = sum(sum(result.seconds.values()) for result in results)
        self._tasks.finish(task, {result.index for result in results}, postponed, seconds)
        workers = self._pool.workers
        for result in results:
            self._timing.count(result.seconds, workers)
            admitted = self._admission.admitted(result)
            stored = self._store.add(admitted, **self._timing.spent(time.monotonic()))
            if not task.postponed:
                self._rounds.add(result.index, result.acted or ())
            report = self._listener.confirmed if task.postponed else self._listener.case
            self._reports.append(partial(report, stored))
            self._triage.add(stored.findings)
        return [FalseRule(f"the campaign has ended: {result.false}") for result in results if result.false]

    def _finish_triage(self, job: TriageJob, results: Sequence[Triaged]) -> None:
        for result, url in zip(results, self._triage.finish(job, results), strict=True):
            self._reports.append(partial(self._listener.triaged, result, url))


class Admission:
    """Counts the findings of all processes of a campaign together, by signature and by known bug.

    Each process leaves out the duplicates of its own findings, which saves the time to confirm them. Here as many stay
    as one process alone would report. So the numbers do not depend on how many processes there are.
    """

    def __init__(self, raw: Path, before: Iterable[FindingRecord] = ()) -> None:
        """``raw`` has the findings' folders; ``before`` are those of earlier runs."""
        self._raw = raw
        self._signatures: Counter[str] = Counter()
        self._known: set[str] = set()
        for finding in before:
            self._count(finding)

    def admitted(self, result: CaseResult) -> CaseResult:
        """Return a result without the findings that repeat others, whose folders are removed."""
        findings, known, duplicates = [], [*result.known], [*result.duplicates]
        for finding in result.findings:
            if finding.known in self._known:
                known.append(finding.known)
            elif self._is_reported(finding):
                duplicates.append(finding.signature)
            else:
                findings.append(finding)
                self._count(finding)
                continue
            shutil.rmtree(self._raw / finding.folder, ignore_errors=True)
        return replace(result, findings=findings, known=known, duplicates=duplicates)

    def _count(self, finding: FindingRecord) -> None:
        self._signatures[finding.signature] += 1
        if finding.known:
            self._known.add(finding.known)

    def _is_reported(self, finding: FindingRecord) -> bool:
        of_one_operator = sum(finding.operators.values()) == 1 and finding.comparison in ("uncompiled", ZEROS)
        return schedule.is_reported(
            self._signatures[finding.signature], identified=of_one_operator, failure=fails(finding.kind)
        )


def _pool(setup: Setup, note: Callable[[str], None]) -> Pool:
    """The processes of a campaign, here or in a cluster. Raises EnvironmentProblem."""
    if not setup.config.cluster:
        return Processes(setup)
    try:
        from polyjuice.campaign.cluster import Cluster
    except ModuleNotFoundError as absent:
        hint = installable(f"pip install '{DISTRIBUTION}[cluster]'")
        raise EnvironmentProblem(f"--cluster needs Ray ({absent}): {hint}") from None
    return Cluster(setup, note)


def _work(task: Task | None, job: TriageJob | None) -> str:
    if task:
        first, *others = task.postponed or task.indices
        return f"case {first}" + (f" and {len(others)} more" if others else "")
    return "triage of " + ", ".join(job.names if job else ())


def _save(store: Store, triage: Triage, spent: Mapping[str, float]) -> None:
    """Store the time spent and publish the findings at a campaign's end. Raises NoSpace if the disk is full."""
    try:
        store.set_spent(**spent)
        triage.write_lists()
    except (OSError, sqlite3.OperationalError) as error:
        if full := shortage(error, [store.folder]):
            raise full from None
        raise
