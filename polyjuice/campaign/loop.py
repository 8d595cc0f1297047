"""The campaign loop: cases out to processes, results into the store as they come."""

from __future__ import annotations

import itertools
import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.util import Finalize
from pathlib import Path

from polyjuice.campaign.case import CaseResult, Runner
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store
from polyjuice.compilers import EnvironmentProblem

#: Cases given out ahead to each process, so that none waits for the loop.
_AHEAD = 2


def run(config: Config, store: Store, report: Callable[[CaseResult], None]) -> None:
    """Run the cases that the store does not have yet; each is stored, then reported.

    Returns when the configured number of cases or time is reached. On an interrupt (KeyboardInterrupt) all that was
    finished is stored. Raises EnvironmentProblem where the compiler cannot be used.
    """
    began = time.monotonic()
    spent = float(store.meta("elapsed_s") or 0)

    def elapsed() -> float:
        return spent + time.monotonic() - began

    done = store.done()
    indices: Iterator[int] = (i for i in itertools.count() if i not in done)
    if config.cases is not None:
        indices = iter([i for i in range(config.cases) if i not in done])
    workers = config.workers if config.cases is None else max(1, min(config.workers, config.cases - len(done)))
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _initialize, (config, store.folder))
    running: set[Future[CaseResult]] = set()
    try:
        while True:
            while len(running) < _AHEAD * workers and (config.time_s is None or elapsed() < config.time_s):
                index = next(indices, None)
                if index is None:
                    break
                running.add(pool.submit(_run_case, index))
            if not running:
                break
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                result = future.result()
                store.add(result)
                report(result)
        pool.shutdown()
    except BrokenProcessPool as error:
        raise RuntimeError(f"a campaign process died: {error}") from error
    finally:
        store.set_meta("elapsed_s", str(elapsed()))
        for process in multiprocessing.active_children():
            process.terminate()
        pool.shutdown(cancel_futures=True)


# --- in the processes ------------------------------------------------------------------------------------------------

_job: tuple[Config, Path] | None = None
_runner: Runner | None = None


def _initialize(config: Config, folder: Path) -> None:
    """Remember the job; an interrupt is the parent's to handle, and it ends this process by SIGTERM."""
    global _job
    _job = config, folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: object) -> None:
    _close()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


def _close() -> None:
    if _runner:
        _runner.close()


def _run_case(index: int) -> CaseResult:
    """Run one case; whatever goes wrong in our own code is a result too, so that the campaign goes on."""
    global _runner
    assert _job is not None
    began = time.perf_counter()
    if _runner is None:
        _runner = Runner(*_job)
        Finalize(None, _close, exitpriority=1)
    started = time.perf_counter() - began
    try:
        result = _runner.run(index)
    except EnvironmentProblem:
        raise
    except Exception:
        return CaseResult(index, defect=traceback.format_exc())
    result.seconds["other"] += started
    return result
