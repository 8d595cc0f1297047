"""Where the time goes: seconds by activity, of the host and of its worker; and when a campaign's time is over."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

PROBE = "probe"
"""The activity of asking what the compiler takes: it does not count in the time that a campaign has."""

CONFIRM = "confirm"
"""The activity of running programs again for a verdict, in fresh processes, and writing down the finding."""

TRIAGE = "triage"
"""The activity that is no part of a case."""

ACTIVITIES = ("generate", "rewrite", "lower", "compile", "run", "judge", CONFIRM, PROBE, "other")
"""What the time of a case goes to."""

SHARES = ("generate", "rewrite", "lower", "compile", "run", "judge", CONFIRM, TRIAGE, "other")
"""What the time goes to that a campaign has."""

LEAST_TRIAGE_S = 60.0
"""Seconds that triage has, at least, once the time of a campaign is over."""


class Clock:
    """Adds up seconds by activity."""

    def __init__(self) -> None:
        self._apart = 0.0
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.seconds = dict.fromkeys(ACTIVITIES, 0.0)

    @contextmanager
    def of(self, activity: str) -> Iterator[None]:
        """Count the time spent inside the block."""
        began, apart = time.perf_counter(), self._apart
        try:
            yield
        finally:
            self.seconds[activity] += time.perf_counter() - began - (self._apart - apart)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Time inside the block is counted elsewhere, by the worker."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.deduct(time.perf_counter() - began)

    def deduct(self, seconds: float) -> None:
        """So much of the activity that is being timed is counted elsewhere, by the worker."""
        self._apart += seconds


@dataclass(frozen=True)
class Moments:
    """When the last case begins, and when cases that are under way are given up, on the monotonic clock.

    This is so if the processes of a run, on the average, have asked for ``asked_s`` what the compiler takes. A process
    that has asked for longer has as much more time.
    """

    last_begin: float
    cases_end: float
    asked_s: float


class Schedule:
    """When the cases of a campaign end, and when all ends: by the wall clock, without the time of asking.

    With a time T cases begin up to T, in all runs of the campaign together. Triage then has a further T/2, at least one
    minute. Cases that are under way at T have half of that to end, or all of it where nothing is triaged. A run that
    has no time left for cases has this further time, too. Without T there is no end. Moments are those of the monotonic
    clock.
    """

    def __init__(self, time_s: float | None, spent: Mapping[str, float], *, triages: bool = True) -> None:
        """``spent`` is what `spent` said of the runs before this one; without an entry, 0."""
        self._to_end = 1 / 2 if triages else 1.0
        self._time_s = math.inf if time_s is None else time_s
        self._before = spent
        self._began = time.monotonic()
        self._probed_s = 0.0
        self._busy_s = 0.0
        self._cases_ended: float | None = None

    def count(self, seconds: Mapping[str, float], workers: int) -> None:
        """Take in what the time of a finished case went to, in one of so many processes."""
        self._probed_s += seconds.get(PROBE, 0.0) / workers
        self._busy_s += busy_s(seconds) / workers

    def end_cases(self) -> None:
        """Remember that this run has no more cases, from now on."""
        self._cases_ended = self._cases_ended or time.monotonic()

    @property
    def spent(self) -> dict[str, float]:
        """Seconds by name.

        ``elapsed_s``: for which the campaign has run. ``cases_s``: of these, before cases ended, without asking.
        ``probe_s``: in which processes asked what the compiler takes, and ``busy_s``: in which they ran cases (see
        `busy_s`); both are averages over the processes.
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
        """The time in which cases were run, so far."""
        return self.spent["cases_s"]

    @property
    def left_s(self) -> float:
        """The time that is left for cases."""
        return self._time_s - self.cases_s

    @property
    def since_cases_s(self) -> float:
        """For how long this run has had no more cases."""
        return 0.0 if self._cases_ended is None else time.monotonic() - self._cases_ended

    @property
    def moments(self) -> Moments:
        """When cases end."""
        return Moments(self._last_begin, self._last_begin + self._afterwards_s * self._to_end, self._probed_s)

    @property
    def end(self) -> float:
        """When triage is ended."""
        return self._last_begin + self._afterwards_s

    @property
    def _last_begin(self) -> float:
        return self._began + self._probed_s + max(self._time_s - self._before.get("cases_s", 0.0), 0.0)

    @property
    def _afterwards_s(self) -> float:
        return max(self._time_s / 2, LEAST_TRIAGE_S)


def busy_s(seconds: Mapping[str, float]) -> float:
    """The time in which a case was run: all of it but what confirms its findings, or asks what the compiler takes."""
    return sum(value for activity, value in seconds.items() if activity not in (CONFIRM, PROBE))
