"""Time accounting: seconds by activity, of the host and its workers."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

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


def busy_s(seconds: Mapping[str, float]) -> float:
    """Return the seconds of a case without those of confirming its findings and of probing the compiler."""
    return sum(value for activity, value in seconds.items() if activity not in (CONFIRM, PROBE))
