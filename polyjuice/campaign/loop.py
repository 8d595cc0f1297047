"""The campaign loop: send cases and findings to processes, and store their results as they arrive.

Each process has its own queue, so that a process that dies takes along one task and no other. The kernel may end a
process when memory is short, and a library that Polyjuice uses may crash one. A new process then takes its place. The
task that ran there is sent once more, and the tasks that waited there wait again.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import shutil
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from polyjuice import interrupts
from polyjuice.campaign import processes
from polyjuice.campaign.config import Config
from polyjuice.campaign.processes import PHASES, STARTING, Ran
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Rounds, Task, Tasks, Timing
from polyjuice.campaign.store import Store
from polyjuice.campaign.triage import Triage, TriageJob
from polyjuice.compilers import find
from polyjuice.egraph import Rule
from polyjuice.execution.space import OF_PROCESS, shortage
from polyjuice.triage.automatic import Triaged

_IN_A_ROW = 10
"""After this number of deaths without a result between them, the pool gives up: no process can work."""


_TICK_S = 1.0
"""The most seconds between two reports of what the campaign does."""

_STORED_S = 5.0
"""The least seconds between two such reports in the store."""

TESTING, CONFIRMING, TRIAGING = "testing", "confirming findings", "triage"
"""What a campaign does after its start."""

_TRIES = 2
"""How often the process of a task may die before the task is given up."""


class NoProcess(Exception):
    """No process of the campaign can work."""


@dataclass(eq=False, kw_only=True)
class _Process:
    """A process with its queue of tasks, the oldest first, and its folder of temporary files."""

    executor: ProcessPoolExecutor
    folder: str
    queue: list[Future[Any]] = field(default_factory=list)
    task_at_death: Future[Any] | None = None
    """The task that a process was doing when it died."""


class Pool:
    """Processes that each do one task after another."""

    def __init__(
        self,
        workers: int,
        context: BaseContext,
        initializer: Callable[..., None],
        arguments: Callable[[str], tuple[Any, ...]],
    ) -> None:
        """Each process begins with ``initializer``, and with these ``arguments`` for its temporary folder."""
        self._context = context
        self._initializer = initializer
        self._arguments = arguments
        self._orders: dict[Future[Any], tuple[_Process, Callable[..., Any], Sequence[Any], int]] = {}
        """For each task its process, its work and arguments, and how often its process died."""
        self._folders: list[str] = []
        self._in_a_row = 0
        self._processes = [self._begun() for _ in range(workers)]

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Send a task to the process with the shortest queue."""
        return self._submit(work, arguments, 0)

    def died(self, future: Future[Any]) -> bool:
        """Whether a process died while this task ran there, or waited. If not, the pool forgets the finished task."""
        if isinstance(future.exception(), BrokenProcessPool):
            return True
        process, *_ = self._orders.pop(future)
        process.queue.remove(future)
        self._in_a_row = 0
        return False

    def said(self) -> str:
        """What the processes do while they start, by the one that is furthest behind (see `processes.PHASES`)."""
        files = (Path(folder, STARTING) for folder in self._folders)
        texts = [path.read_text("utf-8") for path in files if path.is_file()]
        return next((phase for phase in PHASES if phase in texts), PHASES[0])

    def resubmit(self, future: Future[Any]) -> tuple[Future[Any] | None, bool]:
        """After a death, send the task once more; return its new future, and whether it ran in the process that died.

        There is no future if the processes of the task have died too often. Raises NoProcess if processes die again
        and again, and none has any result.
        """
        process, work, arguments, deaths = self._orders.pop(future)
        if process in self._processes:
            self._replace(process)
        ran = process.task_at_death is future
        return (None if deaths + ran == _TRIES else self._submit(work, arguments, deaths + ran)), ran

    def shutdown(self, *, cancel_futures: bool = False) -> None:
        """Wait for the end of all processes, and remove their temporary folders."""
        for process in self._processes:
            process.executor.shutdown(cancel_futures=cancel_futures)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)

    def _submit(self, work: Callable[..., Any], arguments: Sequence[Any], deaths: int) -> Future[Any]:
        process = min(self._processes, key=lambda one: len(one.queue))
        try:
            future = process.executor.submit(work, *arguments)
        except BrokenProcessPool:  # nobody has asked about its tasks yet, if it had any
            self._replace(process)
            return self._submit(work, arguments, deaths)
        process.queue.append(future)
        self._orders[future] = process, work, arguments, deaths
        return future

    def _replace(self, process: _Process) -> None:
        self._in_a_row += 1
        if self._in_a_row > _IN_A_ROW:
            raise NoProcess(f"{_IN_A_ROW} processes of the campaign died one after another, without any result")
        process.executor.shutdown()
        process.task_at_death = next(
            (one for one in process.queue if isinstance(one.exception(), BrokenProcessPool)), None
        )
        shutil.rmtree(process.folder, ignore_errors=True)
        self._processes[self._processes.index(process)] = self._begun()

    def _begun(self) -> _Process:
        """A process. It starts with its first task, and makes its folder itself."""
        folder = os.path.join(tempfile.gettempdir(), f"{OF_PROCESS}{uuid.uuid4().hex}")
        self._folders.append(folder)
        executor = ProcessPoolExecutor(1, self._context, self._initializer, self._arguments(folder))
        return _Process(executor=executor, folder=folder)


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

    def goes_on(self, phase: str, left_s: float) -> None:
        """Receive, about once a second, what the campaign does now, and the most seconds that it may take for that."""


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
        def of_process(folder: str) -> tuple[Any, ...]:
            return config, store.folder, rules, {**os.environ, "TMPDIR": folder}

        self._workers, self._store, self._listener = config.workers, store, listener
        self._compiler, self._told = config.compiler, -math.inf
        pack = config.pack_of(find(config.compiler))
        self._rounds = Rounds(store.acted())
        self._tasks = Tasks(
            config.cases, store.done(), store.postponed(), pack=pack, workers=config.workers, rounds=self._rounds
        )
        self._triage = Triage(config, store)
        self._timing = Timing(
            time_s=config.time_s,
            before=store.spent(),
            began=time.monotonic(),
            triages=config.triage_s > 0,
        )
        with interrupts.blocked():  # it starts the process that owns its semaphores
            self._pool = Pool(config.workers, _context(), processes.initialize, of_process)
        self._running: dict[Future[Any], Task] = {}
        self._triaging: dict[Future[Any], TriageJob] = {}
        self._has_begun: dict[Future[Any], float] = {}
        """When each task or job was first reported in the store, as seconds since the epoch."""
        self._has_results = False

    def run(self) -> None:
        while self._submit():
            self._tell()
            with interrupts.allowed():
                finished = wait({*self._running, *self._triaging}, _TICK_S, return_when=FIRST_COMPLETED).done
            for future in finished:
                if self._pool.died(future):
                    self._revive(future)
                elif future in self._running:
                    self._finish(self._running.pop(future), future.result())
                else:
                    self._finish_triage(self._triaging.pop(future), future.result())
        self._pool.shutdown()

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
        self._listener.goes_on(phase, left_s)
        if now - self._told > _STORED_S:
            self._told = now
            work = {**self._running, **self._triaging}
            self._has_begun = {future: self._has_begun.get(future, time.time()) for future in work}
            tasks = [(_work(self._running.get(f), self._triaging.get(f)), at) for f, at in self._has_begun.items()]
            self._store.set_meta("now", json.dumps({"phase": phase, "at": time.time(), "tasks": tasks}))

    def end(self) -> None:
        spent = self._timing.spent(time.monotonic())
        _stop(multiprocessing.active_children())
        self._pool.shutdown(cancel_futures=True)
        _save(self._store, self._triage, spent)

    def _submit(self) -> bool:
        timing = self._timing
        self._start_triage(cases=timing.cases_ended is None)
        # With one process, a triage has its turn before the next task, because a pack takes long.
        waits = self._workers == 1 and bool(self._triaging)
        while not waits and len(self._running) < self._tasks.ahead:
            now = time.monotonic()
            task = self._tasks.next(timing.left_s(now), may_confirm=now < timing.deadlines.cases_end)
            if task is None:
                break
            with interrupts.blocked():  # submit may start a process
                self._running[self._pool.submit(processes.run_task, task, timing.deadlines)] = task
        if not self._running and not waits:
            timing.cases_ended = timing.cases_ended or time.monotonic()
            self._start_triage(cases=False)
        return bool(self._running or self._triaging)

    def _start_triage(self, *, cases: bool) -> None:
        while job := self._triage.next(self._timing, cases=cases):
            with interrupts.blocked():
                self._triaging[self._pool.submit(processes.triage, job)] = job

    def _revive(self, future: Future[Any]) -> None:
        """Send the work of a process that died once more. Give it up if that has happened before."""
        task, job = self._running.pop(future, None), self._triaging.pop(future, None)
        with interrupts.blocked():
            once_more, ran = self._pool.resubmit(future)
        if ran:
            self._store.add_death()
            self._listener.died(_work(task, job))
        if once_more and task:
            self._running[once_more] = task
        elif once_more and job:
            self._triaging[once_more] = job
        elif task and not self._tasks.split(task):
            self._finish(task, Ran([CaseResult(index=i, defect=_DEATHS) for i in task.postponed or task.indices]))
        elif job:
            self._finish_triage(job, [Triaged(name=folder.name, defect=_DEATHS) for folder in job.folders])

    def _finish(self, task: Task, ran: Ran) -> None:
        """Store the results of cases and the compiler's version, and report them. Raises FalseRule."""
        results = ran.results
        self._has_results = True
        if ran.version and ran.version != self._store.meta("version"):
            self._store.set_meta("version", ran.version)
        postponed = [result.index for result in results if result.postponed]
        seconds = sum(sum(result.seconds.values()) for result in results)
        self._tasks.finish(task, {result.index for result in results}, postponed, seconds)
        for result in results:
            self._timing.count(result.seconds, self._workers)
            stored = self._store.add(result, **self._timing.spent(time.monotonic()))
            if not task.postponed:
                self._rounds.add(result.index, result.acted or ())
            report = self._listener.confirmed if task.postponed else self._listener.case
            report(stored)
            self._triage.add(stored.findings)
            if result.false:
                raise FalseRule(f"the campaign has ended: {result.false}")

    def _finish_triage(self, job: TriageJob, results: Sequence[Triaged]) -> None:
        for result, url in zip(results, self._triage.finish(job, results), strict=True):
            self._listener.triaged(result, url)


def _work(task: Task | None, job: TriageJob | None) -> str:
    if task:
        first, *others = task.postponed or task.indices
        return f"case {first}" + (f" and {len(others)} more" if others else "")
    return "triage of " + ", ".join(folder.name for folder in (job.folders if job else ()))


def _save(store: Store, triage: Triage, spent: Mapping[str, float]) -> None:
    """Store the time spent and publish the findings at a campaign's end. Raises NoSpace if the disk is full."""
    try:
        store.set_spent(**spent)
        triage.write_lists()
    except (OSError, sqlite3.OperationalError) as error:
        if full := shortage(error, [store.folder]):
            raise full from None
        raise


def _context() -> BaseContext:
    """Fork from a process that has imported Polyjuice (a second), unless the path of its socket would be too long."""
    if len(os.fsencode(tempfile.gettempdir())) > _LONGEST_FOLDER:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([processes.__name__])
    return context


def warm() -> None:
    """Begin to import Polyjuice in the process from which a campaign's are forked, without waiting."""
    with interrupts.blocked():
        if _context().get_start_method() == "forkserver":
            forkserver.ensure_running()


def _stop(processes: Sequence[BaseProcess]) -> None:
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_GRACE_S)
        process.kill()
