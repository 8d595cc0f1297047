"""Build a suite: make more cases than asked for, keep those that cover most together, and add the test harness."""

from __future__ import annotations

import heapq
import multiprocessing
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path

from polyjuice.campaign.processes import end_with_parent
from polyjuice.compilers import EnvironmentProblem
from polyjuice.suite import cases
from polyjuice.suite.cases import SuiteError
from polyjuice.suite.making import UNSOUND, Made, Maker, Options
from polyjuice.wording import counted

WEIGHTS: Mapping[str, float] = {"operator": 8, "rule": 4, "pass": 8, "turn": 2, "typed": 2, "edge": 1}
"""The gain from a feature that no case covers yet, by the first word of its name; each further time counts half."""

_WORK = ".building"
"""The folder in a suite that holds all cases while it is built."""

_TASK = 8
"""The number of cases that a process gets at a time."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """A finished suite: why candidates made no case, the number of covered features by kind, and our own faults."""

    cases: int
    candidates: int
    refused: dict[str, int]
    covered: dict[str, int]
    unsound: tuple[str, ...]


def build(options: Options, out: Path, workers: int = 1, report: Callable[[str], None] = lambda text: None) -> Built:
    """Build a suite in a folder that does not exist or is empty; ``report`` is called with the progress.

    Raises SuiteError where the candidates do not suffice, RuleError, SolverMissing, EnvironmentProblem.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SuiteError(f"{out}: the folder is not empty; name a new one")
    work = out / _WORK
    work.mkdir(parents=True)
    features: dict[int, frozenset[str]] = {}
    refused: Counter[str] = Counter()
    unsound = []
    try:
        with closing(_made(options, work, workers)) as made:
            for number, one in enumerate(made):
                if isinstance(one, frozenset):
                    features[number] = frozenset(map(sys.intern, one))  # cases share most names
                else:
                    kind, _, details = one.partition(": ")
                    refused[kind] += 1
                    unsound += [details] if kind == UNSOUND else []
                report(f"{number + 1} of {options.candidates} candidates")
        taken, covered = choose(features, options.count)
        for place, number in enumerate(taken):
            (work / str(number)).rename(cases.folder_of(out, place))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if len(taken) < options.count:
        reasons = ", ".join(f"{n} {reason}" for reason, n in refused.most_common())
        shutil.rmtree(out, ignore_errors=True)
        raise SuiteError(
            f"only {len(taken)} of {counted(options.candidates, 'candidate')} make a case, and --count is "
            f"{options.count} ({reasons}): name fewer compilers, or other --formats or --nodes"
        )
    kinds = dict(sorted(Counter(name.partition(" ")[0] for name in covered).items()))
    cases.begin(out, {"options": options.described(), "covers": kinds})
    return Built(
        cases=len(taken),
        candidates=options.candidates,
        refused=dict(refused.most_common()),
        covered=kinds,
        unsound=tuple(unsound),
    )


def choose(features: Mapping[int, frozenset[str]], count: int) -> tuple[list[int], Counter[str]]:
    """The cases that cover most, best first, and how many of them have each feature; of equals, the first.

    Greedy maximum coverage. The gain of a case never grows as others are taken. So only the case at the top of the heap
    needs a new gain (lazy greedy, Minoux 1978).
    """
    covered: Counter[str] = Counter()

    def gain(number: int) -> float:
        return sum(WEIGHTS[name.partition(" ")[0]] * 0.5 ** covered[name] for name in sorted(features[number]))

    heap = [(-gain(number), number) for number in features]
    heapq.heapify(heap)
    taken: list[int] = []
    while heap and len(taken) < count:
        _, number = heapq.heappop(heap)
        now = (-gain(number), number)
        if heap and now > heap[0]:
            heapq.heappush(heap, now)
        else:
            taken.append(number)
            covered.update(features[number])
    return taken, covered


def _made(options: Options, folder: Path, workers: int) -> Generator[Made]:
    """Make all cases in that many processes (for one, in this process); yield what came of them, in order."""
    numbers = range(options.candidates)
    if workers == 1:
        with closing(Maker(options, folder)) as maker:
            yield from map(maker.case, numbers)
        return
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin)
    try:
        yield from pool.map(partial(_case, options, folder), numbers, chunksize=_TASK)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """The parent handles interrupts, and a process ends with it at the latest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _case(options: Options, folder: Path, number: int) -> Made:
    try:
        return _maker(options, folder).case(number)
    except EnvironmentProblem as problem:  # the pool pickles errors, which subclasses do not survive
        raise EnvironmentProblem(str(problem)) from None


@cache
def _maker(options: Options, folder: Path) -> Maker:
    """The maker of this process."""
    maker = Maker(options, folder)
    Finalize(None, maker.close, exitpriority=1)
    return maker
