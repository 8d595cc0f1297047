"""Time accounting: seconds by activity, of the host and its workers, and the moments at which a campaign ends."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

PROBE = "probe"
"""The activity of probing which operators the compiler takes. It does not count in the campaign's ``--time``."""

CONFIRM = "confirm"
"""The activity of running programs again in fresh processes to confirm a verdict, and of writing the finding."""

TRIAGE = "triage"
"""The activity of triage, which is no part of a case."""

ACTIVITIES = ("generate", "rewrite", "lower", "compile", "run", "judge", CONFIRM, PROBE, "other")
"""The activities that take the time of a case."""

SHARES = ("generate", "rewrite", "lower", "compile", "run", "judge", CONFIRM, TRIAGE, "other")
"""The activities that take the time of a campaign."""

LEAST_TRIAGE_S = 60.0
"""The least seconds that triage gets after a campaign's time for cases is over."""


class Clock:
    """Adds up seconds by activity."""

    def __init__(self) -> None:
        self._apart = 0.0
        self.reset()

    def reset(self) -> None:
        """Set all activities to 0 s."""
        self.seconds = dict.fromkeys(ACTIVITIES, 0.0)

    @contextmanager
    def of(self, activity: str) -> Iterator[None]:
        """Count the time spent inside the block as that of an activity."""
        began, apart = time.perf_counter(), self._apart
        try:
            yield
        finally:
            self.seconds[activity] += time.perf_counter() - began - (self._apart - apart)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Leave out the time inside the block: the worker counts it."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.deduct(time.perf_counter() - began)

    def deduct(self, seconds: float) -> None:
        """Leave these seconds out of the current activity: the worker counts them."""
        self._apart += seconds


@dataclass(frozen=True)
class Deadlines:
    """The latest begin of a case, and the moment when running cases are given up, on the monotonic clock.

    ``asked_s`` is the average time that the processes of this run have spent on probing the compiler. A process that
    has probed for longer gets the difference as extra time.
    """

    last_begin: float
    cases_end: float
    asked_s: float


class Schedule:
    """The moments at which a campaign's cases and the campaign itself end: wall time without that of probing.

    With a time T, cases begin up to T, in all runs of the campaign together. Triage then has a further T/2, at least
    one minute. Cases that still run at T have half of that to finish, or all of it if nothing is triaged. A run that
    has no time left for cases also gets this further time. Without T there is no end. Deadlines are on the monotonic
    clock.
    """

    def __init__(self, time_s: float | None, spent: Mapping[str, float], *, triages: bool = True) -> None:
        """``spent`` is the property `spent` of the runs before this one; a missing entry means 0."""
        self._to_end = 1 / 2 if triages else 1.0
        self._time_s = math.inf if time_s is None else time_s
        self._before = spent
        self._began = time.monotonic()
        self._probed_s = 0.0
        self._busy_s = 0.0
        self._cases_ended: float | None = None

    def count(self, seconds: Mapping[str, float], workers: int) -> None:
        """Add the time of a finished case, by activity, which ran in one of ``workers`` processes."""
        self._probed_s += seconds.get(PROBE, 0.0) / workers
        self._busy_s += busy_s(seconds) / workers

    def end_cases(self) -> None:
        """Record that this run has no more cases from now on."""
        self._cases_ended = self._cases_ended or time.monotonic()

    @property
    def spent(self) -> dict[str, float]:
        """The seconds spent so far, in all runs, by name.

        ``elapsed_s`` is the campaign's wall time. ``cases_s`` is the part of it before the last case ended, without
        probing. ``probe_s`` is the time of probing the compiler, and ``busy_s`` that of running cases (see `busy_s`);
        both are averages over the processes.
        """
        now = time.monotonic()
        this = {
            "elapsed_s": now - self._began,
            "cases_s": (self._cases_ended or now) - self._began - self._probed_s,
            "probe_s": self._probed_s,
            "busy_s": self._busy_s,
        }
        return {name: self._before.get(name, 0.0) + seconds for name, seconds in this.items()}

    @property
    def cases_s(self) -> float:
        """The seconds in which cases have run so far."""
        return self.spent["cases_s"]

    @property
    def left_s(self) -> float:
        """The seconds left for cases."""
        return self._time_s - self.cases_s

    @property
    def since_cases_s(self) -> float:
        """The seconds since the last case of this run ended; 0 before that."""
        return 0.0 if self._cases_ended is None else time.monotonic() - self._cases_ended

    @property
    def moments(self) -> Deadlines:
        """The moments at which cases end."""
        return Deadlines(self._last_begin, self._last_begin + self._afterwards_s * self._to_end, self._probed_s)

    @property
    def end(self) -> float:
        """The moment at which triage is stopped."""
        return self._last_begin + self._afterwards_s

    @property
    def _last_begin(self) -> float:
        return self._began + self._probed_s + max(self._time_s - self._before.get("cases_s", 0.0), 0.0)

    @property
    def _afterwards_s(self) -> float:
        return max(self._time_s / 2, LEAST_TRIAGE_S)


def busy_s(seconds: Mapping[str, float]) -> float:
    """Return the seconds of a case without those of confirming its findings and of probing the compiler."""
    return sum(value for activity, value in seconds.items() if activity not in (CONFIRM, PROBE))
