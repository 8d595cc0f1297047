"""The campaign loop: cases out to processes, results into the store as they come."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from pathlib import Path

from polyjuice.campaign.case import CaseResult, Runner
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import BATCH
from polyjuice.campaign.store import Store
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule

#: Tasks given out ahead to each process, so that none waits for the loop.
_AHEAD = 2

#: Seconds that one task takes, about: results come back at its end, and less than this is lost when all is killed.
_TASK_S = 0.5

#: Seconds that a process has to end its compiler, or its reproducer, when the campaign is stopped.
_GRACE_S = 30.0


def run(config: Config, rules: Sequence[Rule], store: Store, report: Callable[[CaseResult], None]) -> None:
    """Run the cases that the store does not have yet; each is stored, then reported.

    Returns when the configured number of cases or time is reached. On an interrupt (KeyboardInterrupt) all that was
    finished is stored. Raises EnvironmentProblem where the compiler cannot be used.
    """
    began = time.monotonic()
    spent = float(store.meta("elapsed_s") or 0)

    def elapsed() -> float:
        return spent + time.monotonic() - began

    done = store.done()
    indices = (i for i in (itertools.count() if config.cases is None else range(config.cases)) if i not in done)
    batches = (list(batch) for _, batch in itertools.groupby(indices, key=lambda i: i // BATCH))
    batch: list[int] = []
    workers = config.workers if config.cases is None else max(1, min(config.workers, config.cases - len(done)))
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), _initialize, (config, store.folder, rules)
    )
    running: set[Future[list[CaseResult]]] = set()
    cases, busy_s = 0, 0.0
    try:
        while True:
            while len(running) < _AHEAD * workers and (config.time_s is None or elapsed() < config.time_s):
                batch = batch or next(batches, [])
                if not batch:
                    break
                affordable = int(_TASK_S * cases / busy_s) if busy_s else 0
                size = max(1, min(affordable, cases // (_AHEAD * workers)))  # few cases say little of the next
                with _uninterrupted():  # it may start a process
                    running.add(pool.submit(_run_cases, batch[:size]))
                batch = batch[size:]
            if not running:
                break
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                for result in future.result():
                    store.add(result, elapsed())
                    report(result)
                    cases, busy_s = cases + 1, busy_s + sum(result.seconds.values())
        pool.shutdown()
    except BrokenProcessPool as error:
        raise RuntimeError(f"a campaign process died: {error}") from error
    finally:
        store.set_meta("elapsed_s", str(elapsed()))
        _stop(multiprocessing.active_children())
        pool.shutdown(cancel_futures=True)


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


# --- in the processes ------------------------------------------------------------------------------------------------

_job: tuple[Config, Path, Sequence[Rule]] | None = None
_runner: Runner | None = None
_busy = False


class _Ended(BaseException):
    """SIGTERM came while a case was running."""


def _initialize(config: Config, folder: Path, rules: Sequence[Rule]) -> None:
    """Remember the job; an interrupt is the parent's to handle, and it ends this process by SIGTERM."""
    global _job
    _job = config, folder, rules
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process of a pool does not notice by itself that its parent was killed, and would wait for work for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


def _terminate(number: int, frame: object) -> None:
    """Unwind the case that runs, if one does, so that whatever it has started ends with it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the pool sends another when the first process has ended
    if _busy:
        raise _Ended
    _end()


def _end() -> None:
    _close()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


def _close() -> None:
    if _runner:
        _runner.close()


def _run_cases(indices: Sequence[int]) -> list[CaseResult]:
    """Run some cases that share an e-graph, so that this process builds it and no other."""
    return [_run_case(index) for index in indices]


def _run_case(index: int) -> CaseResult:
    """Run one case; whatever goes wrong in our own code is a result too, so that the campaign goes on."""
    global _busy, _runner
    assert _job is not None
    began = time.perf_counter()
    try:
        _busy = True
        if _runner is None:
            _runner = Runner(*_job)
            Finalize(None, _close, exitpriority=1)
        started = time.perf_counter() - began
        try:
            result = _runner.run(index)
        except EnvironmentProblem as problem:
            raise EnvironmentProblem(str(problem)) from None  # the pool pickles it, which subclasses do not survive
        except Exception:
            return CaseResult(index, defect=traceback.format_exc())
        result.seconds["other"] += started
        return result
    except _Ended:  # the pool would send it to the parent and go on
        _end()
        raise
    finally:
        _busy = False
