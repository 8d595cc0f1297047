"""The schedule of a campaign: what runs next and for how long, and what is worth confirming.

Every number and decision about this is here; what each case is, says :mod:`polyjuice.campaign.kinds`. Nothing here
reads a file or the database, nor (but for `Clock`) a clock: the loop, the runner and triage hand over what they know,
and ask.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from polyjuice.campaign.kinds import BATCH
from polyjuice.triage.ranking import Rank

# 1. What takes time

PROBE = "probe"
"""The activity of starting the compiler and probing which operators it takes: it does not count in ``--time``."""

CONFIRM = "confirm"
"""The activity of running programs again in fresh processes to confirm a verdict, and of writing the finding."""

TRIAGE = "triage"
"""The activity of triage, which is no part of a case."""

ACTIVITIES = ("generate", "rewrite", "lower", "compile", "run", "judge", CONFIRM, PROBE, "other")
"""The activities that take the time of a case."""

SHARES = ("generate", "rewrite", "lower", "compile", "run", "judge", CONFIRM, TRIAGE, "other")
"""The activities that take the time of a campaign."""


class Clock:
    """Adds up seconds by activity, without those that ``elsewhere`` has counted meanwhile, such as a worker."""

    def __init__(self, elsewhere: Callable[[], float] = lambda: 0.0) -> None:
        self._elsewhere = elsewhere
        self.reset()

    def reset(self) -> None:
        """Set all activities to 0 s."""
        self.seconds = dict.fromkeys(ACTIVITIES, 0.0)

    @contextmanager
    def of(self, activity: str) -> Iterator[None]:
        """Count the time spent inside the block as that of an activity."""
        began, elsewhere = time.perf_counter(), self._elsewhere()
        try:
            yield
        finally:
            self.seconds[activity] += time.perf_counter() - began - (self._elsewhere() - elsewhere)


def busy_s(seconds: Mapping[str, float]) -> float:
    """Return the seconds of a case without those of confirming its findings and of probing the compiler."""
    return sum(value for activity, value in seconds.items() if activity not in (CONFIRM, PROBE))


# 2. When cases and triage end

_SHORT_S = 600.0
"""The most seconds of a short campaign: nobody needs its causes before its end."""

LEAST_TRIAGE_S = 60.0
"""The least seconds that triage gets after a campaign's time for cases is over."""


@dataclass(frozen=True)
class Deadlines:
    """The latest begin of a case, and the moment when running cases are given up, on the monotonic clock.

    ``asked_s`` is the average time that the processes of this run have spent on probing the compiler. A process that
    has probed for longer gets the difference as extra time.
    """

    last_begin: float
    cases_end: float
    asked_s: float


@dataclass(kw_only=True)
class Timing:
    """How a campaign spends its wall time, and when its cases and the campaign itself end. Probing does not count.

    With a time T, cases begin up to T, in all runs of the campaign together. Triage then has a further T/2, at least
    one minute. Cases that still run at T have half of that to finish, or all of it if nothing is triaged. A run that
    has no time left for cases also gets this further time. Without T there is no end.

    ``before`` is what `spent` returned in the runs before this one. All moments are on the monotonic clock.
    """

    time_s: float | None
    before: Mapping[str, float]
    began: float
    triages: bool = True
    probed_s: float = 0.0
    busy_s: float = 0.0
    cases_ended: float | None = None

    def count(self, seconds: Mapping[str, float], workers: int) -> None:
        """Add the time of a finished case, by activity, which ran in one of ``workers`` processes."""
        self.probed_s += seconds.get(PROBE, 0.0) / workers
        self.busy_s += busy_s(seconds) / workers

    def spent(self, now: float) -> dict[str, float]:
        """Return the seconds spent so far, in all runs, by name.

        ``elapsed_s`` is the campaign's wall time. ``cases_s`` is the part of it before the last case ended, without
        probing. ``probe_s`` is the time of probing the compiler, and ``busy_s`` that of running cases; both are
        averages over the processes.
        """
        this = {
            "elapsed_s": now - self.began,
            "cases_s": (self.cases_ended or now) - self.began - self.probed_s,
            "probe_s": self.probed_s,
            "busy_s": self.busy_s,
        }
        return {name: self.before.get(name, 0.0) + seconds for name, seconds in this.items()}

    def left_s(self, now: float) -> float:
        """Return the seconds left for cases."""
        return (math.inf if self.time_s is None else self.time_s) - self.spent(now)["cases_s"]

    @property
    def deadlines(self) -> Deadlines:
        """The moments at which cases end."""
        for_cases_s = self._afterwards_s / 2 if self.triages else self._afterwards_s
        return Deadlines(self._last_begin, self._last_begin + for_cases_s, self.probed_s)

    @property
    def end(self) -> float:
        """The moment at which triage is stopped."""
        return self._last_begin + self._afterwards_s

    def triage_can_wait(self, work_s: float, workers: int) -> bool:
        """Whether triage that takes ``work_s`` may wait until the cases end, so that these have all processes.

        It may in a short campaign if it then takes at most half of the time for triage.
        """
        short = self.time_s is not None and self.time_s <= _SHORT_S
        return short and work_s <= workers * self._afterwards_s / 2

    @property
    def _last_begin(self) -> float:
        if self.time_s is None:
            return math.inf
        return self.began + self.probed_s + max(self.time_s - self.before.get("cases_s", 0.0), 0.0)

    @property
    def _afterwards_s(self) -> float:
        return max((self.time_s or 0.0) / 2, LEAST_TRIAGE_S)


# 3. Which cases run next

_AHEAD = 2
"""Tasks queued for each process, so that no process waits for the loop."""

_TASK_S = 0.5
"""About how many seconds one task takes. Results come back at its end, so a kill loses less than this much work."""

_FIRST_PACK = 4
"""The cases of a campaign's first pack: the first results come soon."""

_ROUND = 1024
"""The number of cases in a round. What the compiler's parts did in the first quarter of the rounds decides what is due.

So three quarters of a campaign's cases may run at once, and soon any number of processes has work. With the last round
but one, at most two rounds could run at once: the packs of 85 processes.
"""


def round_of(index: int) -> int:
    """Return the round of a case."""
    return index // _ROUND


class Rounds:
    """Counts how often each part of the compiler acted in each round of cases."""

    def __init__(self, found: Iterable[tuple[int, Sequence[str]]] = ()) -> None:
        """``found`` are finished cases, each with the parts that acted on it."""
        self._ended: Counter[int] = Counter()
        self._acted: dict[int, Counter[str]] = {}
        self._sums: list[Counter[str]] = [Counter()]
        """How often each part acted before each round, for as many rounds as are known."""
        for index, parts in found:
            self.add(index, parts)

    def add(self, index: int, parts: Sequence[str]) -> None:
        """Record that a case ended, and which parts acted on it."""
        self._ended[round_of(index)] += 1
        self._acted.setdefault(round_of(index), Counter()).update(parts)

    def before(self, index: int) -> Mapping[str, int] | None:
        """Return how often each part acted in the first quarter of the rounds; None if one has not ended."""
        rounds = round_of(index) // 4
        while len(self._sums) <= rounds and self._ended[len(self._sums) - 1] == _ROUND:
            self._sums.append(self._sums[-1] + self._acted.pop(len(self._sums) - 1))
        return dict(self._sums[rounds]) if rounds < len(self._sums) else None


@dataclass(frozen=True)
class Task:
    """Cases that run together; ``postponed`` are those that run again for confirmation, if any.

    ``acted`` counts, for the round of each case, how often each part of the compiler acted in the rounds before.
    """

    indices: Sequence[int]
    postponed: Sequence[int] = ()
    acted: Mapping[int, Mapping[str, int]] = field(default_factory=dict)


class Tasks:
    """The indices of the cases still to run, grouped into tasks: cases of one pack, or of one e-graph.

    With packs, each task is a pack and no tasks are queued: when the time is up, at most the running packs finish.
    Postponed cases run once more after all others, or when no time is left for others.
    """

    def __init__(
        self,
        cases: int | None,
        done: Set[int],
        postponed: Iterable[Task],
        *,
        pack: int,
        rounds: Rounds | None = None,
    ) -> None:
        """``pack`` is the most programs compiled as one; ``rounds`` has what the parts of the compiler did so far."""
        self._rounds = rounds or Rounds()
        indices = (i for i in (itertools.count() if cases is None else range(cases)) if i not in done)
        together = pack if pack > 1 else BATCH
        self._batches = (list(batch) for _, batch in itertools.groupby(indices, key=lambda i: i // together))
        self._batch: list[int] = []
        self._left_over: list[Task] = []
        self._postponed = [*postponed]
        self._pack = pack
        self._cases, self._busy_s = 0, 0.0

    def ahead(self, workers: int) -> int:
        """Return how many tasks run and wait at most."""
        return (1 if self._pack > 1 else _AHEAD) * workers

    def next(self, left_s: float, workers: int, *, may_confirm: bool) -> Task | None:
        """Return the next task; None if nothing is left to do, no time for it, or an earlier round has not ended.

        ``left_s`` are the seconds left for cases. With ``may_confirm``, postponed cases may still run.
        """
        if left_s > 0:
            if self._left_over:
                return self._informed(self._left_over.pop(0))
            self._batch = self._batch or next(self._batches, [])
            if self._batch and self._rounds.before(self._batch[-1]) is not None:
                size = self._size(left_s, workers)
                task, self._batch = Task(self._batch[:size]), self._batch[size:]
                return self._informed(task)
        return self._informed(self._postponed.pop(0)) if self._postponed and may_confirm else None

    def _informed(self, task: Task) -> Task:
        firsts = {round_of(index): index for index in task.indices}
        return replace(task, acted={number: self._rounds.before(index) or {} for number, index in firsts.items()})

    def _size(self, left_s: float, workers: int) -> int:
        if self._pack > 1 and self._batch[0] == 0:
            return _FIRST_PACK
        case_s = self._busy_s / self._cases if self._busy_s else math.inf
        known = self._cases // self.ahead(workers)  # the times of few cases predict little
        size = self._pack if self._pack > 1 else max(1, min(int(_TASK_S / case_s), known))
        return max(1, int(left_s / case_s)) if known and left_s < size * case_s else size

    def split(self, task: Task) -> bool:
        """Run the cases of a task whose processes died once more, each alone. Return whether that makes sense.

        It makes none for a single case, nor for postponed cases, which need the others in their pack.
        """
        if task.postponed or len(task.indices) == 1:
            return False
        self._left_over += [Task([index]) for index in task.indices]
        return True

    def finish(self, task: Task, done: Set[int], postponed: Sequence[int], busy_s: float) -> None:
        """Record which cases of a task have ended, which of these are postponed, and how long all took.

        Cases that did not end run later, if there is time. Postponed ones that were not confirmed stay postponed.
        """
        if task.postponed:
            return
        if left := [index for index in task.indices if index not in done]:
            self._left_over.append(Task(left))
        if postponed:
            self._postponed.append(Task(task.indices, postponed))
        self._cases += len(done)
        self._busy_s += busy_s


# 4. Which verdicts are confirmed, and when

PACK_FAULT_S = 20.0
"""The seconds for leaving programs out of a pack that shows a fault; triage reduces the rest."""

_CONFIRMING = 1 / 10
"""On a slow compiler: if confirming has taken more than this share of the cases' time, it is postponed."""

_FAILURES = 2
"""The number of failures with one signature that a process confirms. One of them is triaged, and stands for all."""


def over_confirm_budget(spent: Mapping[str, float], *, fast: bool) -> bool:
    """Return whether confirming has taken more than its share of these seconds, by activity."""
    return not fast and spent.get(CONFIRM, 0.0) > _CONFIRMING * busy_s(spent)


def is_reported(findings: int, *, identified: bool, failure: bool) -> bool:
    """Return whether a verdict duplicates that many findings with its signature.

    One suffices if the signature alone identifies the fault; other failures need two. Wrong results never do.
    """
    return (identified or failure) and findings >= (1 if identified else _FAILURES)


def is_one_of_many(number: int) -> bool:
    """Return whether to skip the wrong result that is the ``number``-th of its kin, which most likely share a cause.

    The first is confirmed, then the second, the fourth, the eighth ... This is for slow compilers: on a fast one, to
    confirm takes less than a second.
    """
    return number.bit_count() > 1


# 5. Which findings triage takes next

_SORTED, _SORTED_SLOWLY = 50, 16
"""How many findings are sorted together: on a fast compiler, and where a compilation takes seconds."""

_LEAST = 2
"""After the last case of a campaign with ``-n``, there is time to triage at least this many findings."""

_SHARE = 1 / 4
"""The share of its time that a campaign's only process gives to triage while there are cases to run."""

_FIRST_S = 15.0
"""The expected length of a campaign's first triage job, in seconds."""

_LEAST_S = 15.0
"""The least time for the reduction of a finding, and for its bisection, in seconds: some compilations of Inductor."""


@dataclass
class TriageShare:
    """The time that a campaign's only process has given to triage since it ``began``."""

    began: float
    spent_s: float = 0.0
    jobs: int = 0

    @property
    def expected_s(self) -> float:
        """The expected length of a job: the average."""
        return self.spent_s / self.jobs if self.jobs else _FIRST_S

    def allows_job(self, now: float) -> bool:
        """Return whether triage stays within its share if one more job runs."""
        return self.spent_s + self.expected_s <= _SHARE * (now - self.began)

    def count(self, seconds: float) -> None:
        """Record how long a job took."""
        self.spent_s += seconds
        self.jobs += 1


def triage_has_process(
    jobs: int, waiting: int, workers: int, share: TriageShare, timing: Timing, now: float, *, cases: bool, shows: bool
) -> bool:
    """Return whether a process is free for triage beside ``jobs``; ``cases`` says whether cases still run.

    Then triage has half of the processes, or its share of a single one's time. Afterwards it has all processes. In a
    short campaign that already ``shows`` what comes first, it has none while cases may begin, if all ``waiting``
    findings and groups can wait.
    """
    can_wait = shows and timing.triage_can_wait(waiting * share.expected_s, workers)
    if cases and timing.left_s(now) > 0 and can_wait:
        return False
    if cases and workers == 1:
        return not jobs and share.allows_job(now)
    return jobs < (workers // 2 if cases else workers)


def triage_is_over(timing: Timing, now: float, cases: int | None, triage_s: float) -> bool:
    """Return whether it is too late to begin another triage job after the last case.

    With a number of cases, triage may take as long as they took.
    """
    since_s = 0.0 if timing.cases_ended is None else now - timing.cases_ended
    most_s = max(timing.spent(now)["cases_s"], 2 * _LEAST * triage_s)
    return (cases is not None and since_s > most_s) or now >= timing.end


def sorted_together(*, fast: bool) -> int:
    """Return how many findings one job sorts."""
    return _SORTED if fast else _SORTED_SLOWLY


def triage_order(explained: int, size: int, first: Rank) -> tuple[Any, ...]:
    """Return the key by which groups of findings wait for triage; ``first`` is the rank of its first finding.

    Those with the fewest ``explained`` findings come first, so that each group soon has a cause. Among these, groups
    come in the order of `rank`, but large ones come before those with usual conditions and few operators.
    """
    return explained, first.oracle_is_absent, first.inexact, first.loudness, -size, first


def triage_time_s(groups: int, left_s: float, workers: int, most_s: float) -> float:
    """Return the seconds for reducing a finding, and for bisecting it, if that many groups wait.

    So a campaign that is about to end reports many causes, and reduces each less.
    """
    return min(most_s, max(left_s * workers / (2 * groups), _LEAST_S))
