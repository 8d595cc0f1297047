"""Running a suite in one compiler through Polyjuice's workers, several at a time, each in a process of its own."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyjuice.bench import Bench, Conditions
from polyjuice.compilers import find
from polyjuice.execution import Outcome
from polyjuice.execution.protocol import to_wire
from polyjuice.suite import stored
from polyjuice.suite.carried.harness import expected, judging

EXPECTED_FAILURE, UNEXPECTED_PASS = "expected failure", "unexpected pass"

STATUSES = (judging.PASSED, judging.FAILED, judging.SKIPPED, EXPECTED_FAILURE, UNEXPECTED_PASS)
"""What can become of a case."""

WRONG = (judging.FAILED, UNEXPECTED_PASS)
"""What is not as expected."""


@dataclass(frozen=True)
class Result:
    """What became of a case, and what there is to say of it."""

    case: str
    status: str
    message: str = ""


def run(suite: Path, conditions: Conditions, compiler: str, workers: int = 1) -> tuple[str, Iterator[Result]]:
    """The compiler's version, and the results of all cases in order, as they come.

    Raises SuiteError, ExpectationError, EnvironmentProblem.
    """
    folders = stored.case_folders(suite)
    entries = expected.read(suite / "xfail.toml")
    info = find(compiler)
    benches = [Bench(conditions, info) for _ in range(min(workers, len(folders)))]
    try:
        benches[0].worker().start()
    except BaseException:
        benches[0].close()
        raise
    version = benches[0].versions[compiler]

    def judged(folder: Path, bench: Bench) -> Result:
        status, message = execute(bench, stored.load(folder))
        reason = expected.reason(entries, folder.name, compiler, version)
        if reason and status == judging.FAILED:
            return Result(folder.name, EXPECTED_FAILURE, reason)
        if reason and status == judging.PASSED:
            return Result(folder.name, UNEXPECTED_PASS, f"it is expected to fail: {reason}")
        return Result(folder.name, status, message)

    return version, _results(folders, benches, judged)


def execute(bench: Bench, case: stored.StoredCase) -> tuple[str, str]:
    """The status of a case, and what there is to say of it."""
    format = bench.compiler.format
    artifacts = case.artifacts(format)
    if not artifacts:
        return judging.SKIPPED, f"the case has no {format} programs"
    inputs = [case.inputs] * judging.RUNS
    ran = {side: _ran(bench.execute(artifact, inputs)) for side, artifact in artifacts.items()}
    return judging.verdict(case.case, case.arrays, format, ran)


def _ran(outcome: Outcome) -> judging.Ran:
    outputs = [list(map(to_wire, one)) for one in outcome.outputs]
    reference = None if outcome.reference is None else [list(map(to_wire, one)) for one in outcome.reference]
    return judging.Ran(outcome.status, outcome.stage, outcome.message, outputs, reference)


def _results(
    folders: Sequence[Path], benches: Sequence[Bench], judged: Callable[[Path, Bench], Result]
) -> Iterator[Result]:
    """The results in order; each thread has a bench, which is closed at the end."""
    free: queue.SimpleQueue[Bench] = queue.SimpleQueue()
    for bench in benches:
        free.put(bench)

    def one(folder: Path) -> Result:
        bench = free.get()
        try:
            return judged(folder, bench)
        finally:
            free.put(bench)

    pool = ThreadPoolExecutor(len(benches))
    try:
        yield from pool.map(one, folders)
    finally:
        pool.shutdown(cancel_futures=True)
        for bench in benches:
            bench.close()
