"""The campaign loop: send cases and findings to processes, and store their results as they arrive."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import sqlite3
import tempfile
import time
from collections.abc import Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from polyjuice import interrupts
from polyjuice.campaign import processes
from polyjuice.campaign.clock import Schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.pool import Pool
from polyjuice.campaign.preparation import BATCH
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.store import Store, Task
from polyjuice.campaign.triage import Job, Triage
from polyjuice.compilers import find
from polyjuice.egraph import Rule
from polyjuice.execution.space import shortage
from polyjuice.triage.automatic import Triaged

#: Tasks queued for each process, so that no process waits for the loop.
_AHEAD = 2

#: About how many seconds one task takes. Results come back at its end, so a kill loses less than this much work.
_TASK_S = 0.5

#: The longest path, in bytes, of a folder for a socket: a socket's path has at most 104, of which Python takes 32.
_LONGEST_FOLDER = 70

#: Seconds that a process has to end its compiler or reproducer when the campaign stops.
_GRACE_S = 30.0

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


@interrupts.deferred()
def run(config: Config, rules: Sequence[Rule], store: Store, listener: Listener) -> None:
    """Run the cases that the store does not have yet, and triage their findings. Store each result, then report it.

    Returns after the configured number of cases or time, when all findings are triaged or the time for triage is over
    (see :class:`polyjuice.campaign.clock.Schedule`). After an interrupt (KeyboardInterrupt) the store has all
    finished results. Raises EnvironmentProblem if the compiler cannot be used, and FalseRule if one of the user's rules
    is false, NoSpace if a disk is full, and NoProcess if every process dies. If one dies, another does its work.
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
    """The work that a campaign's processes do now, and what becomes of it."""

    def __init__(self, config: Config, rules: Sequence[Rule], store: Store, listener: Listener) -> None:
        def of_process(folder: str) -> tuple[Any, ...]:
            return config, store.folder, rules, {**os.environ, "TMPDIR": folder}

        self._workers, self._store, self._listener = config.workers, store, listener
        self._schedule = Schedule(config.time_s, store.spent(config.workers), triages=config.triage_s > 0)
        self._tasks = _Tasks(config, store.done(), store.postponed())
        self._triage = Triage(config, store)
        with interrupts.blocked():  # it starts the process that owns its semaphores
            self._pool = Pool(config.workers, _context(), processes.initialize, of_process)
        self._running: dict[Future[Any], Task] = {}
        self._triaging: dict[Future[Any], Job] = {}

    def run(self) -> None:
        """Run the cases, then the triage that is left."""
        while self._submit():
            with interrupts.allowed():
                finished = wait({*self._running, *self._triaging}, return_when=FIRST_COMPLETED).done
            for future in finished:
                if self._pool.died(future):
                    self._revive(future)
                elif future in self._running:
                    self._finish(self._running.pop(future), future.result())
                else:
                    self._finish_triage(self._triaging.pop(future), future.result())
        self._pool.shutdown()

    def end(self) -> None:
        """End the processes, and store the time spent and the findings."""
        spent = self._schedule.spent
        _stop(multiprocessing.active_children())
        self._pool.shutdown(cancel_futures=True)
        _save(self._store, self._triage, spent)

    def _submit(self) -> bool:
        """Give work to the processes. Return whether any of them works."""
        self._start_triage(cases=not self._schedule.since_cases_s)
        # With one process, a triage has its turn before the next task, because a pack takes long.
        waits = self._workers == 1 and bool(self._triaging)
        while not waits and len(self._running) < self._tasks.ahead and (task := self._tasks.next(self._schedule)):
            with interrupts.blocked():  # submit may start a process
                self._running[self._pool.submit(processes.run_task, task, self._schedule.moments)] = task
        if not self._running and not waits:
            self._schedule.end_cases()
            self._start_triage(cases=False)
        return bool(self._running or self._triaging)

    def _start_triage(self, cases: bool) -> None:
        while due := self._triage.next(self._schedule, cases):
            with interrupts.blocked():
                self._triaging[self._pool.submit(processes.triage, due)] = due

    def _revive(self, future: Future[Any]) -> None:
        """Send the work of a process that died once more. Give it up if that has happened before."""
        task, job = self._running.pop(future, None), self._triaging.pop(future, None)
        with interrupts.blocked():
            again, ran = self._pool.resubmit(future)
        if ran:
            self._store.add_death(text := _death(task, job))
            self._listener.died(text)
        if again and task:
            self._running[again] = task
        elif again and job:
            self._triaging[again] = job
        elif task:
            if results := self._tasks.give_up(task):
                self._finish(task, results)
        elif job:
            self._finish_triage(job, [Triaged(name=folder.name, defect=_DEATHS) for folder in job.folders])

    def _finish(self, task: Task, results: Sequence[CaseResult]) -> None:
        """Store the results of cases, and tell them. Raises FalseRule."""
        self._tasks.finish(task, results)
        for result in results:
            self._schedule.count(result.seconds, self._workers)
            stored = self._store.add(result, **self._schedule.spent)
            tell = self._listener.confirmed if task.postponed else self._listener.case
            tell(stored)
            if result.findings:
                self._triage.publish()
            if result.false:
                raise FalseRule(f"the campaign has ended: {result.false}")

    def _finish_triage(self, job: Job, results: Sequence[Triaged]) -> None:
        for result, url in zip(results, self._triage.finish(job, results), strict=True):
            self._listener.triaged(result, url)


def _death(task: Task | None, job: Job | None) -> str:
    """Say which work a process did when it died."""
    if task:
        return f"case {', '.join(map(str, task.postponed or task.indices))}"
    return "triage of " + ", ".join(folder.name for folder in (job.folders if job else ()))


def _save(store: Store, triage: Triage, spent: Mapping[str, float]) -> None:
    """Store the time spent and publish the findings at a campaign's end. Raises NoSpace if the disk is full."""
    try:
        store.set_spent(**spent)
        triage.publish()
    except (OSError, sqlite3.OperationalError) as error:
        if full := shortage(error, [store.folder]):
            raise full from None
        raise


def _context() -> BaseContext:
    """Return a context that forks processes from one that has imported Polyjuice, since the import takes a second.

    If the path of the fork server's socket would be too long, processes start from scratch instead.
    """
    if len(os.fsencode(tempfile.gettempdir())) > _LONGEST_FOLDER:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([processes.__name__])
    return context


class _Tasks:
    """The indices of the cases still to run, grouped into tasks: cases of one pack, or of one e-graph.

    With packs, each task is a pack and no tasks are queued: when the time is up, at most the running packs finish.
    Postponed cases run once more after all others, or when no time is left for others.
    """

    def __init__(self, config: Config, done: Set[int], postponed: Sequence[Task]) -> None:
        indices = (i for i in (itertools.count() if config.cases is None else range(config.cases)) if i not in done)
        self._pack = config.pack_of(find(config.compiler))
        shared = self._pack if self._pack > 1 else BATCH
        self._batches = (list(batch) for _, batch in itertools.groupby(indices, key=lambda i: i // shared))
        self._batch: list[int] = []
        self._left_over: list[Task] = []
        self._postponed = [*postponed]
        self._cases, self._busy_s = 0, 0.0
        self.ahead = (1 if self._pack > 1 else _AHEAD) * config.workers

    def next(self, schedule: Schedule) -> Task | None:
        """Return the next task; None if nothing is left to do, or no time for it."""
        remaining_s = schedule.left_s
        if remaining_s > 0:
            if self._left_over:
                return self._left_over.pop(0)
            if indices := self._next_indices(remaining_s):
                return Task(indices)
        in_time = time.monotonic() < schedule.moments.cases_end
        return self._postponed.pop(0) if self._postponed and in_time else None

    def _next_indices(self, remaining_s: float) -> list[int]:
        self._batch = self._batch or next(self._batches, [])
        case_s = self._busy_s / self._cases if self._busy_s else math.inf
        known = self._cases // self.ahead  # the times of few cases predict little
        size = self._pack if self._pack > 1 else max(1, min(int(_TASK_S / case_s), known))
        if known and remaining_s < size * case_s:
            size = max(1, int(remaining_s / case_s))
        task, self._batch = self._batch[:size], self._batch[size:]
        return task

    def give_up(self, task: Task) -> list[CaseResult]:
        """Return results for the cases of a task whose processes died. Several cases first run once more, each alone.

        Postponed cases need company, and are given up together.
        """
        if task.postponed or len(task.indices) == 1:
            return [CaseResult(index=index, defect=_DEATHS) for index in task.postponed or task.indices]
        self._left_over += [Task([index]) for index in task.indices]
        return []

    def finish(self, task: Task, results: Sequence[CaseResult]) -> None:
        """Record how long the cases took, which of them did not finish, and which must run once more."""
        if task.postponed:  # cases that were not confirmed in time stay postponed
            return
        done = {result.index for result in results}
        if left := [index for index in task.indices if index not in done]:  # these run later, if there is time
            self._left_over.append(Task(left))
        if postponed := [result.index for result in results if result.postponed]:
            self._postponed.append(Task(task.indices, postponed))
        self._cases += len(results)
        self._busy_s += sum(sum(result.seconds.values()) for result in results)


def _stop(processes: Sequence[BaseProcess]) -> None:
    """End the processes of the pool that still run, and give them time to clean up."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_GRACE_S)
        process.kill()
