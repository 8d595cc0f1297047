"""Run a suite in one compiler through Polyjuice's workers, several at a time, each in a process of its own."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from polyjuice.compilers import find
from polyjuice.execution import Outcome
from polyjuice.execution.protocol import to_wire
from polyjuice.session import CompilerSession, Conditions
from polyjuice.suite import suite_cases
from polyjuice.suite.carried.harness import expected, judging

EXPECTED_FAILURE, UNEXPECTED_PASS = "expected failure", "unexpected pass"

STATUSES = (judging.PASSED, judging.FAILED, judging.SKIPPED, EXPECTED_FAILURE, UNEXPECTED_PASS)
"""All statuses of a case."""

WRONG = (judging.FAILED, UNEXPECTED_PASS)
"""The unexpected statuses."""


_AGAIN_S = 0.2
"""After an interrupt, the seconds between two attempts to end what threads have begun."""


@dataclass(frozen=True)
class Result:
    """The status of a case, and a message."""

    case: str
    status: str
    message: str = ""


def run(suite: Path, conditions: Conditions, compiler: str, workers: int = 1) -> tuple[str, Iterator[Result]]:
    """The compiler's version, and the results of all cases in order, as they come.

    Raises SuiteError, ExpectationError, EnvironmentProblem.
    """
    folders = suite_cases.case_folders(suite)
    entries = expected.read(suite / "xfail.toml")
    info = find(compiler)
    sessions = [CompilerSession(conditions, info) for _ in range(min(workers, len(folders)))]
    try:
        sessions[0].worker().start()
    except BaseException:
        sessions[0].close()
        raise
    version = sessions[0].version

    def judged(folder: Path, session: CompilerSession) -> Result:
        status, message = execute(session, suite_cases.load(folder))
        reason = expected.reason(entries, folder.name, compiler, version)
        if reason and status == judging.FAILED:
            return Result(folder.name, EXPECTED_FAILURE, reason)
        if reason and status == judging.PASSED:
            return Result(folder.name, UNEXPECTED_PASS, f"it is expected to fail: {reason}")
        return Result(folder.name, status, message)

    return version, _results(folders, sessions, judged)


def execute(session: CompilerSession, case: suite_cases.StoredCase) -> tuple[str, str]:
    """The status of a case, and a message."""
    format = session.compiler.format
    artifacts = case.artifacts(format)
    if not artifacts:
        return judging.SKIPPED, f"the case has no {format} programs"
    inputs = [case.inputs] * judging.RUNS
    ran = {side: _ran(session.execute(artifact, inputs)) for side, artifact in artifacts.items()}
    return judging.verdict(case.case, case.arrays, format, ran)


def _ran(outcome: Outcome) -> judging.Ran:
    outputs = [list(map(to_wire, one)) for one in outcome.outputs]
    reference = None if outcome.reference is None else [list(map(to_wire, one)) for one in outcome.reference]
    return judging.Ran(outcome.status, outcome.stage, outcome.message, outputs, reference)


def _results(
    folders: Sequence[Path], sessions: Sequence[CompilerSession], judged: Callable[[Path, CompilerSession], Result]
) -> Iterator[Result]:
    """The results in order. Each thread has a session, closed at the end."""
    free: queue.SimpleQueue[CompilerSession] = queue.SimpleQueue()
    for session in sessions:
        free.put(session)

    def one(folder: Path) -> Result:
        session = free.get()
        try:
            return judged(folder, session)
        finally:
            free.put(session)

    pool = ThreadPoolExecutor(len(sessions))
    judging_now = [pool.submit(one, folder) for folder in folders]
    try:
        for future in judging_now:
            yield future.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        while running := [future for future in judging_now if not future.done()]:  # a compilation may take minutes
            for session in sessions:
                session.kill()
            wait(running, _AGAIN_S)
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        for session in sessions:
            session.close()
