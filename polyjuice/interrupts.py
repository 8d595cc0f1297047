"""Interrupts: SIGINT, SIGTERM and SIGHUP end a command in the same way, by KeyboardInterrupt in its main thread.

Python turns SIGINT alone into that exception. The other two would end the process at once: its children, temporary
files and semaphores would stay, and no summary would be printed.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

#: The seconds after an interrupt in which further ones are ignored, because the command is ending.
_AGAIN_S = 10.0

_deferred = 0
"""How many blocks of `deferred` the main thread is in."""

_waiting = False
"""Whether an interrupt came inside such a block."""

_came_at: float | None = None
"""When the last interrupt was raised, on the monotonic clock."""


def handle() -> None:
    """Raise KeyboardInterrupt when one of the signals comes. Signals that this process ignores stay ignored.

    A shell starts the commands of a script that end in ``&`` with SIGINT ignored, and ``nohup`` ignores SIGHUP.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def ignore() -> None:
    """Ignore the signals from now on: the command has its result, and ends by itself."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def deferred() -> Iterator[None]:
    """Let the block finish. An interrupt that comes meanwhile is raised at its end, or in a block of `allowed`."""
    global _deferred
    _deferred += 1
    try:
        yield
    finally:
        _deferred -= 1
    _raise_waiting()


@contextmanager
def allowed() -> Iterator[None]:
    """Let interrupts end the block, also inside a block of `deferred`."""
    global _deferred
    before, _deferred = _deferred, 0
    try:
        _raise_waiting()
        yield
    finally:
        _deferred = before


@contextmanager
def blocked() -> Iterator[None]:
    """Let the kernel hold the signals back. A process that starts inside the block holds them back, too."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unblock() -> None:
    """Let a process that was started inside `blocked` receive signals."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _raise_waiting() -> None:
    if _waiting and not _deferred:
        _raise()


def _raise() -> None:
    global _waiting, _came_at
    _waiting, _came_at = False, time.monotonic()
    raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _waiting
    if _came_at is not None and time.monotonic() - _came_at < _AGAIN_S:
        return
    if _deferred:
        _waiting = True
    else:
        _raise()
