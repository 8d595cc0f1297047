"""The search for a smaller candidate: passes over a candidate until none makes it smaller."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice

from polyjuice import pipeline
from polyjuice.oracles import Case, Verdict
from polyjuice.timelimit import TimeLimit
from polyjuice.triage.reduction.edits import Edit
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.trial import UNFIT, OutOfTime, Trial


class NotShown(Exception):
    """The finding no longer shows."""


@dataclass(frozen=True)
class Progress:
    """The progress of a reduction: the current pass, operators of each program, and the number of candidates tried."""

    name: str
    operators: tuple[int, ...]
    candidates: int


Passes = Sequence[tuple[str, Callable[[Pair, Trial], Iterator[Edit]]]]
"""Names and passes: each pass turns a pair and its trial into the edits to try one after another."""


@dataclass(kw_only=True)
class Search:
    """Passes that shrink the last of ``accepted``: candidates that showed the fault, each smaller than the one before.

    ``tidy`` cleans up the result of each edit.
    """

    passes: Passes
    trial: Trial
    accepted: list[Pair]
    show: Callable[[Progress], None]
    tidy: Callable[[Pair], Pair] = lambda candidate: candidate

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

    def confirmed(self) -> tuple[Pair, Case, Verdict]:
        """The smallest candidate that repeats in fresh processes. Raises NotShown where not even the first one does."""
        for candidate in reversed(self.accepted):
            judged = self.trial.judge(candidate)
            if judged and pipeline.repeats(*judged, self.trial.session):
                return candidate, *judged
        raise NotShown

    def _sweep(self, name: str, edits: Callable[[Pair, Trial], Iterator[Edit]]) -> bool:
        """Apply each edit of a pass once; return whether any made the candidate smaller.

        Edits that the pass has already yielded are applied to the newest accepted candidate.
        """
        before = self.accepted[-1]
        coming, drawn = iter(edits(before, self.trial)), deque[Edit]()
        while shown := self._first(name, self._stream(coming, drawn)):
            place, candidate = shown
            self.accepted.append(candidate)
            for _ in range(place + 1):
                drawn.popleft()
        return self.accepted[-1] is not before

    def _stream(self, coming: Iterator[Edit], drawn: deque[Edit]) -> Iterator[tuple[int, Pair]]:
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

    def _first(self, name: str, stream: Iterator[tuple[int, Pair]]) -> tuple[int, Pair] | None:
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

    def _candidates(self, edit: Edit) -> Iterator[Pair]:
        """Yield an edit's candidates, up to the first ill-typed one."""
        try:
            for candidate in edit(self.accepted[-1]):
                yield self.tidy(candidate)
        except UNFIT:
            return
