"""Run a suite in one compiler with the harness that suites carry, several cases at a time."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyjuice.compilers import EnvironmentProblem, find
from polyjuice.suite import cases
from polyjuice.suite.carried.harness import driver, judging

EXPECTED_FAILURE, UNEXPECTED_PASS = "expected failure", "unexpected pass"

STATUSES = (judging.PASSED, judging.FAILED, judging.SKIPPED, EXPECTED_FAILURE, UNEXPECTED_PASS)
"""All statuses of a case."""

WRONG = (judging.FAILED, UNEXPECTED_PASS)
"""The unexpected statuses."""

_START_S = 300.0
"""The most seconds for the start of a compiler's process."""


@dataclass(frozen=True)
class Result:
    """The status of a case, and a message."""

    case: str
    status: str
    message: str = ""


def run(suite: Path, python: str, timeout_s: float, compiler: str, workers: int = 1) -> tuple[str, Iterator[Result]]:
    """The compiler's version, and the results of all cases in order, as they come.

    ``python`` is the interpreter that has the compiler. Raises SuiteError, ExpectationError, EnvironmentProblem.
    """
    folders = cases.case_folders(suite)
    entries = driver.expectations(suite / "xfail.toml")
    file = find(compiler).path
    processes = [
        driver.Compiler(file, cases.WORKER, _START_S, timeout_s, python) for _ in range(min(workers, len(folders)))
    ]
    try:
        processes[0].start()
    except driver.Unusable as problem:
        raise EnvironmentProblem(str(problem)) from None
    finally:
        if not processes[0].version:
            _close(processes)
    version = processes[0].version
    free: queue.SimpleQueue[driver.Compiler] = queue.SimpleQueue()
    for process in processes:
        free.put(process)

    def judged(folder: Path) -> Result:
        process = free.get()
        try:
            status, message = process.run(folder)
        finally:
            free.put(process)
        reason = driver.reason(entries, folder.name, compiler, version)
        if reason and status == judging.FAILED:
            return Result(folder.name, EXPECTED_FAILURE, reason)
        if reason and status == judging.PASSED:
            return Result(folder.name, UNEXPECTED_PASS, f"it is expected to fail: {reason}")
        return Result(folder.name, status, message)

    def results() -> Iterator[Result]:
        pool = ThreadPoolExecutor(len(processes))
        try:
            yield from pool.map(judged, folders)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            _close(processes)

    return version, results()


def _close(processes: list[driver.Compiler]) -> None:
    for process in processes:
        process.close()
