"""What the campaign loop asks of a pool of processes, and the pool of this machine.

Each process has its own queue, so that a process that dies takes along one task and no other. The kernel may end a
process when memory is short, and a library that Polyjuice uses may crash one. A new process then takes its place. The
task that ran there is sent once more, and the tasks that waited there wait again.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any, Protocol

from polyjuice import interrupts
from polyjuice.campaign import processes
from polyjuice.campaign.config import Config
from polyjuice.campaign.processes import PHASES, STARTING
from polyjuice.egraph import Rule
from polyjuice.execution.space import OF_PROCESS

_IN_A_ROW = 10
"""After this number of deaths without a result between them, the pool gives up: no process can work."""

_GRACE_S = 30.0
"""Seconds that a process has to end its compiler or reproducer when the campaign stops."""

_LONGEST_FOLDER = 70
"""The longest path, in bytes, of a folder for a socket: a socket's path has at most 104, of which Python takes 32."""


class NoProcess(Exception):
    """No process of the campaign can work."""


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What the processes of a campaign work with.

    ``reported`` returns how many findings each signature has by now. A ``temporary`` folder goes with the processes.
    """

    config: Config
    folder: Path
    rules: Sequence[Rule]
    reported: Callable[[], Mapping[str, int]]
    temporary: bool = False


class Pool(Protocol):
    """Processes that each do one task after another, on one machine or many."""

    @property
    def workers(self) -> int:
        """The number of processes that work now."""
        ...

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Send a task: a function of `processes`, with its arguments."""
        ...

    def died(self, future: Future[Any]) -> bool:
        """Whether a process died while this task ran there, or waited. If not, the pool forgets the finished task."""
        ...

    def bury(self, future: Future[Any]) -> bool:
        """After a death, forget the task, and return whether it ran in the process that died.

        Raises NoProcess if processes die again and again, and none has any result.
        """
        ...

    def said(self) -> str:
        """What the processes do while they start."""
        ...

    def tend(self) -> None:
        """Notice what has changed; the loop asks for it about once a second. Raises NoProcess."""

    def shutdown(self, *, at_once: bool = False) -> None:
        """Wait for the end of all processes, or ``at_once`` end them, and remove their temporary files."""
        ...


@dataclass(eq=False, kw_only=True)
class _Process:
    """A process with its queue of tasks, the oldest first, and its folder of temporary files."""

    executor: ProcessPoolExecutor
    folder: str
    queue: list[Future[Any]] = field(default_factory=list)
    task_at_death: Future[Any] | None = None
    """The task that a process was doing when it died."""


class Processes:
    """A pool of this machine."""

    def __init__(self, setup: Setup) -> None:
        """Prepare as many processes as the campaign's configuration says; each starts with its first task."""
        self._setup = setup
        self._context = _context()
        self._process_of: dict[Future[Any], _Process] = {}
        self._folders: list[str] = []
        self._in_a_row = 0
        with interrupts.blocked():  # this starts the process that owns the semaphores of the queues
            self._processes = [self._begun() for _ in range(setup.config.workers)]

    @property
    def workers(self) -> int:
        """See :class:`Pool`."""
        return len(self._processes)

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Send a task to the process with the shortest queue."""
        process = min(self._processes, key=lambda one: len(one.queue))
        try:
            with interrupts.blocked():  # this may start a process
                future = process.executor.submit(work, *arguments)
        except BrokenProcessPool:  # nobody has asked about its tasks yet, if it had any
            self._replace(process)
            return self.submit(work, *arguments)
        process.queue.append(future)
        self._process_of[future] = process
        return future

    def died(self, future: Future[Any]) -> bool:
        """See :class:`Pool`."""
        if isinstance(future.exception(), BrokenProcessPool):
            return True
        self._process_of.pop(future).queue.remove(future)
        self._in_a_row = 0
        return False

    def said(self) -> str:
        """What the processes do while they start, by the one that is furthest behind (see `processes.PHASES`)."""
        files = (Path(folder, STARTING) for folder in self._folders)
        texts = [path.read_text("utf-8") for path in files if path.is_file()]
        return next((phase for phase in PHASES if phase in texts), PHASES[0])

    def bury(self, future: Future[Any]) -> bool:
        """See :class:`Pool`."""
        process = self._process_of.pop(future)
        if process in self._processes:
            self._replace(process)
        return process.task_at_death is future

    def tend(self) -> None:
        """See :class:`Pool`. Processes that died are noticed by their tasks."""

    def shutdown(self, *, at_once: bool = False) -> None:
        """See :class:`Pool`."""
        if at_once:
            _stop()
        for process in self._processes:
            process.executor.shutdown(cancel_futures=at_once)
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)

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
        setup, environment = self._setup, {**os.environ, "TMPDIR": folder}
        arguments = setup.config, setup.folder, setup.rules, setup.reported(), environment, setup.temporary
        executor = ProcessPoolExecutor(1, self._context, processes.initialize, arguments)
        return _Process(executor=executor, folder=folder)


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


def _stop() -> None:
    children = multiprocessing.active_children()
    for process in children:
        process.terminate()
    for process in children:
        process.join(_GRACE_S)
        process.kill()
