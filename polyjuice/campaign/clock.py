"""Where the time goes: seconds by activity, of the host and of its worker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

PROBE = "probe"
"""The activity of asking what the compiler takes: it does not count in the time that a campaign has."""

ACTIVITIES = ("generate", "rewrite", "lower", "compile", "run", "judge", PROBE, "other")


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
