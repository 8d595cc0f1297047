"""The campaign loop: cases and findings out to processes, results into the store as they come."""

from __future__ import annotations

import itertools
import math
import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

from polyjuice.campaign import processes
from polyjuice.campaign.case import CaseResult
from polyjuice.campaign.clock import Schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import BATCH
from polyjuice.campaign.store import Store, Task
from polyjuice.campaign.triage import Job, Triage
from polyjuice.compilers import find
from polyjuice.egraph import Rule
from polyjuice.triage.automatic import Triaged

#: Tasks given out ahead to each process, so that none waits for the loop.
_AHEAD = 2

#: Seconds that one task takes, about: results come back at its end, and less than this is lost when all is killed.
_TASK_S = 0.5

#: The longest path, in bytes, of a folder that can hold a socket: 104 for all of it, of which Python takes 32.
_LONGEST_FOLDER = 70

#: Seconds that a process has to end its compiler, or its reproducer, when the campaign is stopped.
_GRACE_S = 30.0


class FalseRule(RuntimeError):
    """A rule of the user's makes variants that are not equal to their seed graphs; the message names it."""


class Listener(Protocol):
    """Who is told of a campaign's results, each once it is stored."""

    def case(self, result: CaseResult) -> None: ...

    def confirmed(self, result: CaseResult) -> None:
        """A case that was postponed has run once more, for what it shows to be confirmed."""

    def triaged(self, result: Triaged, known: str) -> None:
        """``known`` is where the bug is reported that the finding turned out to be, or ""."""


def run(config: Config, rules: Sequence[Rule], store: Store, listener: Listener) -> None:
    """Run the cases that the store does not have yet, and triage what they find; each result is stored, then told.

    Returns when the configured number of cases or time is reached, and findings are triaged, or the time for that is
    over, too (see :class:`polyjuice.campaign.clock.Schedule`). On an interrupt (KeyboardInterrupt) all that was
    finished is stored. Raises EnvironmentProblem where the compiler cannot be used, FalseRule where a rule of the
    user's is false.
    """
    schedule = Schedule(config.time_s, store.spent(config.workers), triages=config.triage_s > 0)
    tasks = _Tasks(config, store.done(), store.postponed())
    triage = Triage(config, store)
    job = config, store.folder, rules, dict(os.environ)
    pool = ProcessPoolExecutor(config.workers, _context(), processes.initialize, job)
    running: dict[Future[Any], Task] = {}
    triaging: dict[Future[Any], Job] = {}
    try:
        while True:
            while len(running) < tasks.ahead and (task := tasks.next(schedule)):
                with _uninterrupted():  # it may start a process
                    running[pool.submit(processes.run_task, task, schedule.moments)] = task
            if not running:
                schedule.end_cases()
            while due := triage.next(schedule, cases=bool(running)):
                with _uninterrupted():
                    triaging[pool.submit(processes.triage, due)] = due
            if not running and not triaging:
                break
            finished = wait({*running, *triaging}, return_when=FIRST_COMPLETED).done
            for future in running.keys() & finished:
                results, task = future.result(), running.pop(future)
                tasks.finish(task, results)
                for result in results:
                    schedule.count(result.seconds, config.workers)
                    store.add(result, **schedule.spent)
                    tell = listener.confirmed if task.postponed else listener.case
                    tell(result)
                    if result.findings:
                        triage.publish()
                    if result.false:
                        raise FalseRule(f"the campaign has ended: {result.false}")
            for future in triaging.keys() & finished:
                triaged: list[Triaged] = future.result()
                for result, url in zip(triaged, triage.finish(triaging.pop(future), triaged), strict=True):
                    listener.triaged(result, url)
        pool.shutdown()
    except BrokenProcessPool as error:
        raise RuntimeError(f"a campaign process died: {error}") from error
    finally:
        store.set_spent(**schedule.spent)
        _stop(multiprocessing.active_children())
        pool.shutdown(cancel_futures=True)
        triage.publish()


def _context() -> BaseContext:
    """Processes are forked from one that has imported Polyjuice, which takes a second.

    They are started from scratch where the path of the socket by which they are asked for would be too long.
    """
    if len(os.fsencode(tempfile.gettempdir())) > _LONGEST_FOLDER:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([processes.__name__])
    return context


class _Tasks:
    """The indices that are still to be run, in tasks of cases that share a pack, or an e-graph and a moment.

    Packs are tasks, and none is given out ahead of them: when the time is up, no more than these are still to come.
    Cases that were postponed run once more when all others have run, or have no time left.
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
        """The next task; None where there is nothing left to do, or no time for it."""
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
        known = self._cases // self.ahead  # few cases say little of the next
        size = self._pack if self._pack > 1 else max(1, min(int(_TASK_S / case_s), known))
        if known and remaining_s < size * case_s:
            size = max(1, int(remaining_s / case_s))
        task, self._batch = self._batch[:size], self._batch[size:]
        return task

    def finish(self, task: Task, results: Sequence[CaseResult]) -> None:
        """Remember how long cases take, which of a task were not finished, and which are to run once more."""
        if task.postponed:  # what is not confirmed in time stays postponed
            return
        done = {result.index for result in results}
        if left := [index for index in task.indices if index not in done]:  # they have their turn if there is time
            self._left_over.append(Task(left))
        if postponed := [result.index for result in results if result.postponed]:
            self._postponed.append(Task(task.indices, postponed))
        self._cases += len(results)
        self._busy_s += sum(sum(result.seconds.values()) for result in results)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back an interrupt; a process that starts meanwhile never gets any, not even before it can ignore it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(processes: Sequence[BaseProcess]) -> None:
    """End the processes of the pool, if they have not ended, and leave them the time to clear up."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_GRACE_S)
        process.kill()
