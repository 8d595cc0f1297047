"""A campaign's pool: each process has its own queue, so that a process that dies takes along one task and no other.

The kernel may end a process when memory is short, and a library that Polyjuice uses may crash one. A new process then
takes its place. The task that ran there is sent once more, and the tasks that waited there wait again.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing.context import BaseContext
from typing import Any

from polyjuice.execution.space import OF_PROCESS

_IN_A_ROW = 10
"""After this number of deaths without a result between them, the pool gives up: no process can work."""


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


@dataclass(frozen=True, kw_only=True)
class _Order:
    process: _Process
    work: Callable[..., Any]
    arguments: Sequence[Any]
    deaths: int = 0


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
        self._orders: dict[Future[Any], _Order] = {}
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
        order = self._orders.pop(future)
        order.process.queue.remove(future)
        self._in_a_row = 0
        return False

    def resubmit(self, future: Future[Any]) -> tuple[Future[Any] | None, bool]:
        """After a death, send the task once more; return its new future, and whether it ran in the process that died.

        There is no future if the processes of the task have died too often. Raises NoProcess if processes die again
        and again, and none has any result.
        """
        order = self._orders.pop(future)
        if order.process in self._processes:
            self._replace(order.process)
        ran = order.process.task_at_death is future
        deaths = order.deaths + ran
        return (None if deaths == _TRIES else self._submit(order.work, order.arguments, deaths)), ran

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
        self._orders[future] = _Order(process=process, work=work, arguments=arguments, deaths=deaths)
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
