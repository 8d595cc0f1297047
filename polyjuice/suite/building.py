"""Build a suite: make candidates, choose among them, and write a folder for each choice and the test harness."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from polyjuice.suite import carry, suite_cases
from polyjuice.suite.choice import Choice
from polyjuice.suite.options import Options, SuiteError
from polyjuice.suite.work import UNSOUND, Workshops, written
from polyjuice.wording import counted

_WORK = ".building"
"""The folder in a suite that holds candidates while it is built."""

Apply = Callable[[str, Sequence[int]], Iterator[Any]]


@dataclass(frozen=True, kw_only=True)
class Built:
    """A finished suite: why candidates made no case, the number of covered features by kind, and our own faults."""

    cases: int
    candidates: int
    refused: dict[str, int]
    covered: dict[str, int]
    unsound: tuple[str, ...]


class _Builder:
    """The state of one building."""

    def __init__(self, options: Options, apply: Apply, report: Callable[[str], None]) -> None:
        self._options = options
        self._apply = apply
        self._report = report
        self.refused: Counter[str] = Counter()
        self.unsound: list[str] = []

    def choose(self) -> tuple[list[int], dict[str, int]]:
        """The chosen candidates, best first, whose cases are written, and the number of features they cover."""
        features: dict[int, frozenset[str]] = {}
        for index, made in enumerate(self._apply("candidate", range(self._options.candidates))):
            if isinstance(made, frozenset):
                features[index] = frozenset(map(sys.intern, made))  # pairs share most names
            else:
                self._refuse(made)
            self._report(f"{index + 1} of {self._options.candidates} candidates")
        choice = Choice(features)
        offers = choice.offers()
        chosen: list[int] = []
        while missing := self._options.count - len(chosen):
            tried = []
            for index in islice(offers, missing):
                choice.take(index)
                tried.append(index)
            if not tried:
                break
            for index, problem in zip(tried, self._apply("case", tried), strict=True):
                if problem:
                    self._refuse(problem)
                    choice.give_back(index)
                else:
                    chosen.append(index)
                self._report(f"{len(chosen)} of {self._options.count} cases")
        return chosen, dict(sorted(Counter(name.partition(" ")[0] for name in choice.covered).items()))

    def _refuse(self, reason: str) -> None:
        kind, _, more = reason.partition(":")
        self.refused[kind] += 1
        if kind == UNSOUND:
            self.unsound.append(more.strip())


def build(options: Options, out: Path, workers: int = 1, report: Callable[[str], None] = lambda text: None) -> Built:
    """Build a suite in a folder that does not exist or is empty; ``report`` is called with the progress.

    Raises SuiteError where the candidates do not suffice, RuleError, SolverMissing, EnvironmentProblem.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SuiteError(f"{out}: the folder is not empty; name a new one")
    work = out / _WORK
    out.mkdir(parents=True, exist_ok=True)
    work.mkdir(mode=0o700)  # its files are unpickled
    try:
        with Workshops(options, work, workers).open() as apply:
            builder = _Builder(options, apply, report)
            chosen, covered = builder.choose()
        for number, index in enumerate(chosen):
            written(work, index).rename(suite_cases.folder_of(out, number))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    refused = dict(builder.refused.most_common())
    if len(chosen) < options.count:
        reasons = ", ".join(f"{n} {reason}" for reason, n in refused.items())
        shutil.rmtree(out, ignore_errors=True)
        raise SuiteError(
            f"only {len(chosen)} of {counted(options.candidates, 'candidate')} make a case, and --count is "
            f"{options.count} ({reasons}): name fewer compilers, or other --formats or --nodes"
        )
    carry.write(out, {"options": options.described(), "covers": covered})
    return Built(
        cases=len(chosen),
        candidates=options.candidates,
        refused=refused,
        covered=covered,
        unsound=tuple(builder.unsound),
    )
