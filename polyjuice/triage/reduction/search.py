"""The search for something smaller: passes over a candidate until none makes it smaller."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
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

    @property
    def together(self) -> int:
        """How many candidates are to be tried together at most."""

    def compile_together(self, candidates: Sequence[C_contra], /) -> None:
        """Run the programs of candidates that are to be tried, where that takes less time for several at once."""

    def judge(self, candidate: C_contra, /) -> tuple[Case, Verdict] | None:
        """The case and the oracle's own words; None where the fault does not show."""


Edit = Callable[[C], Iterable[C]]

Passes = Sequence[tuple[str, Callable[[C, Any], Iterator[Edit[C]]]]]
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

    def _sweep(self, name: str, edits: Callable[[C, Any], Iterator[Edit[C]]]) -> bool:
        """Each edit of a pass once; whether any made the candidate smaller.

        Edits that were drawn from the pass already are applied to whatever showed the fault last.
        """
        before = self.accepted[-1]
        coming, drawn = iter(edits(before, self.trial)), deque[Edit[C]]()
        while shown := self._first(name, self._stream(coming, drawn)):
            place, candidate = shown
            self.accepted.append(candidate)
            for _ in range(place + 1):
                drawn.popleft()
        return self.accepted[-1] is not before

    def _stream(self, coming: Iterator[Edit[C]], drawn: deque[Edit[C]]) -> Iterator[tuple[int, C]]:
        """What the edits make of the smallest candidate that is smaller still, with the place of its edit."""
        for place in count():
            if place == len(drawn):
                edit = next(coming, None)
                if edit is None:
                    return
                drawn.append(edit)
            for candidate in self._candidates(drawn[place]):
                if candidate.size < self.accepted[-1].size:
                    yield place, candidate

    def _first(self, name: str, stream: Iterator[tuple[int, C]]) -> tuple[int, C] | None:
        """The first that shows the fault. Raises OutOfTime.

        Where the compiler takes less time for several programs at once, more and more of them are tried together.
        """
        together = 1
        while batch := list(islice(stream, together)):
            self.show(Step(name, self.accepted[-1].operators, self.trial.counts.candidates))
            if len(batch) > 1:
                self.trial.check_time()
                self.trial.compile_together([candidate for _, candidate in batch])
            for place, candidate in batch:
                self.trial.check_time()
                if self.trial.shows(candidate):
                    return place, candidate
            together = min(2 * together, self.trial.together)
        return None

    def _candidates(self, edit: Edit[C]) -> Iterator[C]:
        """What an edit makes of the smallest candidate, up to where it makes something ill-typed."""
        try:
            for candidate in edit(self.accepted[-1]):
                yield self.tidy(candidate)
        except UNFIT:
            return
