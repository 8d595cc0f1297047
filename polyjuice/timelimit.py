"""A time limit that holds: it interrupts work that goes on beyond it, whatever the work waits for.

A compiler may hang, and an oracle or a reproducer may take long. Checks between the steps of such work come too
late. The limit is a timer of the operating system instead, whose signal unwinds the work as an interrupt does.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

#: Seconds until the next interrupt, for work that goes on in spite of one. Cleaning up takes less.
_AGAIN_S = 10.0

#: The shortest time of a timer: 0 would stop it.
_SOON_S = 1e-3

_limits: list[TimeLimit] = []
"""The limits that hold now, from the outermost in."""


class _TimeUp(BaseException):
    """Unwinds the work inside a limit. No ``except Exception`` on the way takes it for a failure of the work."""

    def __init__(self, limit: TimeLimit) -> None:
        super().__init__()
        self.limit = limit


class TimeLimit:
    """A block that ends at ``until``, on the monotonic clock, or before; ``passed`` says whether the limit ended it.

    The block ends without an error. ``besides`` returns seconds that do not count: the block may go on for as many
    seconds more. Limits can be nested, and the outer one holds, too. Only the main thread can be interrupted. In any
    other thread, a limit has no effect.
    """

    def __init__(self, until: float, besides: Callable[[], float] = lambda: 0.0) -> None:
        self._until = until
        self._besides = besides
        self._before: Any = None
        self._holds = False
        self.passed = False

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self._until + self._besides() - time.monotonic()

    def __enter__(self) -> TimeLimit:
        self._holds = self._until < math.inf and threading.current_thread() is threading.main_thread()
        if self._holds:
            self._before = signal.signal(signal.SIGALRM, _interrupt)
            _limits.append(self)
            _set_timer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self._holds:
            signal.setitimer(signal.ITIMER_REAL, 0)
            del _limits[_limits.index(self) :]
            signal.signal(signal.SIGALRM, self._before)
            if _limits:
                _set_timer()
        ours = isinstance(error, _TimeUp) and error.limit is self
        self.passed = self.passed or ours
        return ours


def _set_timer() -> None:
    """Ask for a signal when the first of the limits is reached."""
    signal.setitimer(signal.ITIMER_REAL, max(min(limit.left for limit in _limits), _SOON_S), _AGAIN_S)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Leave the outermost block whose time is up, but never in the middle of entering or leaving a block."""
    if frame and frame.f_code in _WHOLE:
        return
    over = next((limit for limit in _limits if limit.left <= 0), None)
    if over:
        raise _TimeUp(over)
    if _limits:
        _set_timer()


_WHOLE = {TimeLimit.__enter__.__code__, TimeLimit.__exit__.__code__, _set_timer.__code__}
