"""The search for something smaller: passes over a candidate until none makes it smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from polyjuice import pipeline
from polyjuice.oracles import Case, Verdict
from polyjuice.session import CompilerSession
from polyjuice.timelimit import TimeLimit
from polyjuice.triage.reduction.trial import UNFIT, Counts, OutOfTime


class NotShown(Exception):
    """The finding does not show any more."""


@dataclass(frozen=True)
class Step:
    """Where a reduction stands: the pass that is running, operators of each program, and candidates tried."""

    name: str
    operators: tuple[int, ...]
    candidates: int


class Candidate(Protocol):
    """What is reduced. ``size`` is its place in a total order, ``digest`` a hash of all that the fault depends on."""

    @property
    def size(self) -> tuple[int, ...]: ...

    @property
    def digest(self) -> str: ...

    @property
    def operators(self) -> tuple[int, ...]:
        """How many operators each program has."""


C = TypeVar("C", bound=Candidate)


C_contra = TypeVar("C_contra", bound=Candidate, contravariant=True)


class Judge(Protocol[C_contra]):
    """Says of candidates whether they show the fault."""

    @property
    def session(self) -> CompilerSession: ...

    @property
    def counts(self) -> Counts: ...

    @property
    def until(self) -> float:
        """When the time is up, on the monotonic clock."""

    def check_time(self) -> None:
        """Raises OutOfTime."""

    def shows(self, candidate: C_contra, /) -> bool:
        """Whether a candidate still shows the fault, and nothing else is wrong with it."""

    def judge(self, candidate: C_contra, /) -> tuple[Case, Verdict] | None:
        """The case and the oracle's own words; None where the fault does not show."""


Passes = Sequence[tuple[str, Callable[[C, Any], Iterator[Callable[[C], Iterable[C]]]]]]
"""Names and passes: each makes, of a candidate and its judge, the edits that are tried one after another."""


@dataclass
class Search(Generic[C]):
    """Passes at work on the last of ``accepted``: candidates that showed the fault, each smaller than those before.

    ``tidy`` puts in order what an edit has made.
    """

    passes: Passes[C]
    trial: Judge[C]
    accepted: list[C]
    show: Callable[[Step], None]
    tidy: Callable[[C], C] = lambda candidate: candidate

    @property
    def steps(self) -> int:
        """How many candidates took the first one's place."""
        return len({candidate.digest for candidate in self.accepted}) - 1

    def run(self) -> bool:
        """Repeat all passes until none changes anything; False where the time is up before.

        A trial that is under way then is broken off.
        """
        with suppress(OutOfTime), TimeLimit(self.trial.until):
            while True:
                before = self.accepted[-1]
                for name, edits in self.passes:
                    while self._sweep(name, edits):
                        continue
                if self.accepted[-1] is before:
                    return True
        self.trial.session.close()  # its processes may be anywhere within a program
        return False

    def confirmed(self) -> tuple[C, Case, Verdict]:
        """The smallest candidate that repeats in fresh processes. Raises NotShown where not even the first one does."""
        for candidate in reversed(self.accepted):
            judged = self.trial.judge(candidate)
            if judged and pipeline.repeats(*judged, self.trial.session):
                return candidate, *judged
        raise NotShown

    def _sweep(self, name: str, edits: Callable[[C, Any], Iterator[Callable[[C], Iterable[C]]]]) -> bool:
        """Each edit of a pass once; whether any made the candidate smaller."""
        before = self.accepted[-1]
        for edit in edits(before, self.trial):
            self.show(Step(name, self.accepted[-1].operators, self.trial.counts.candidates))
            for candidate in self._candidates(edit):
                self.trial.check_time()
                if candidate.size < self.accepted[-1].size and self.trial.shows(candidate):
                    self.accepted.append(candidate)
                    break
        return self.accepted[-1] is not before

    def _candidates(self, edit: Callable[[C], Iterable[C]]) -> Iterator[C]:
        """What an edit makes of the smallest candidate, up to where it makes something ill-typed."""
        try:
            for candidate in edit(self.accepted[-1]):
                yield self.tidy(candidate)
        except UNFIT:
            return
