"""Where the time goes: seconds by activity, of the host and of its worker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

ACTIVITIES = ("generate", "rewrite", "lower", "compile", "run", "judge", "other")


class Clock:
    """Adds up seconds by activity."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(ACTIVITIES, 0.0)

    @contextmanager
    def of(self, activity: str) -> Iterator[None]:
        """Count the time spent inside the block."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[activity] += time.perf_counter() - began
