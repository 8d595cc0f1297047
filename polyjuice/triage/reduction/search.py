"""The search for a smaller candidate: passes over a candidate until none makes it smaller."""

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
    """The finding no longer shows."""


@dataclass(frozen=True)
class Progress:
    """The progress of a reduction: the current pass, operators of each program, and the number of candidates tried."""

    name: str
    operators: tuple[int, ...]
    candidates: int


class Candidate(Protocol):
    """An object to reduce."""

    @property
    def size(self) -> tuple[int, ...]:
        """The rank in a total order."""
        ...

    @property
    def digest(self) -> str:
        """A hash of everything that the fault depends on."""
        ...

    @property
    def operators(self) -> tuple[int, ...]:
        """How many operators each program has."""


C = TypeVar("C", bound=Candidate)


C_contra = TypeVar("C_contra", bound=Candidate, contravariant=True)


class Judge(Protocol[C_contra]):
    """Tests whether candidates show the fault."""

    @property
    def session(self) -> CompilerSession:
        """The compiler session that runs the candidates."""
        ...

    @property
    def counts(self) -> Counts:
        """The counts of candidates and programs so far."""
        ...

    @property
    def until(self) -> float:
        """When the time is up, on the monotonic clock."""

    def check_time(self) -> None:
        """Raises OutOfTime."""

    def shows(self, candidate: C_contra, /) -> bool:
        """Whether a candidate still shows the fault, and nothing else is wrong with it."""

    @property
    def together(self) -> int:
        """The most candidates to try together."""

    def compile_together(self, candidates: Sequence[C_contra], /) -> None:
        """Run the programs of upcoming candidates together, where that is faster."""

    def judge(self, candidate: C_contra, /) -> tuple[Case, Verdict] | None:
        """The case and the oracle's own verdict; None where the fault does not show."""


Edit = Callable[[C], Iterable[C]]

Passes = Sequence[tuple[str, Callable[[C, Any], Iterator[Edit[C]]]]]
"""Names and passes: each pass turns a candidate and its judge into the edits to try one after another."""


@dataclass(kw_only=True)
class Search(Generic[C]):
    """Passes that shrink the last of ``accepted``: candidates that showed the fault, each smaller than the one before.

    ``tidy`` cleans up the result of each edit.
    """

    passes: Passes[C]
    trial: Judge[C]
    accepted: list[C]
    show: Callable[[Progress], None]
    tidy: Callable[[C], C] = lambda candidate: candidate

    @property
    def steps(self) -> int:
        """How many smaller candidates were accepted."""
        return len({candidate.digest for candidate in self.accepted}) - 1

    def run(self) -> bool:
        """Repeat all passes until none changes anything; return False if the time is up earlier.

        When the time is up, the trial under way is stopped.
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
        """Apply each edit of a pass once; return whether any made the candidate smaller.

        Edits that the pass has already yielded are applied to the newest accepted candidate.
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
        """Yield the smaller candidates that the edits make of the newest accepted one, with the index of each edit."""
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
        """The first candidate that shows the fault, with the index of its edit. Raises OutOfTime.

        If several programs at once are faster, the number of candidates tried together doubles each time.
        """
        together = 1
        while batch := list(islice(stream, together)):
            self.show(Progress(name, self.accepted[-1].operators, self.trial.counts.candidates))
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
        """Yield an edit's candidates, up to the first ill-typed one."""
        try:
            for candidate in edit(self.accepted[-1]):
                yield self.tidy(candidate)
        except UNFIT:
            return
