"""The keeper of a worker: its parent process, which outlives it and leaves nothing of it behind.

The keeper forks the worker and waits. On Linux it is a subreaper: whatever the worker leaves behind becomes its child,
also a daemon in a session of its own. It ends all of them when the worker has ended, when the host has gone, or when
they hold too much. It then reports to the host.

A report has five bytes: a number, and one of the letters below. The compiler's interpreter loads this file by path, so
it keeps to Python 3.9 and the standard library.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import struct
import time
from contextlib import suppress

REPORT = struct.Struct("<ic")
STARTED, GROWN, ENDED, MEMORY, FOLDER = b"s", b"g", b"e", b"m", b"f"
"""The letters of reports. STARTED: the number is the worker's process id. GROWN: replace the worker before its next
program. The others: the worker has ended, with that wait status. MEMORY and FOLDER: the keeper ended it, because its
processes held too much memory, or its temporary folder too many bytes."""

_GIB = 2**30
_EVERY_S = 0.5
_SHARE = 0.02  # the most of its time that the keeper spends on measuring the folder
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def keep(end: int, lifeline: int, folder: str, limits: dict[str, float]) -> None:
    """Fork the worker, and return in the worker alone, which leads a session of its own.

    The descriptor ``end`` takes the reports. The keeper ends all when the other end of ``lifeline`` is closed.
    ``limits`` are in GiB. ``resident`` bounds the memory of all processes together, beyond this process's own.
    ``folder`` bounds the folder. Above the size ``recycle``, the worker shall be replaced.
    """
    if os.getsid(0) != os.getpid():
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the host ends the keeper by its lifeline
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    keeper, worker = os.getpid(), os.fork()
    if not worker:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, before)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for descriptor in (end, woken, wake):
            os.close(descriptor)
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)
        give_way()
        _prefer_when_memory_is_short()
        return
    _close_all_but({end, lifeline, woken, wake})
    status, reason = -1, ENDED
    try:
        _tell(end, worker, STARTED)
        reason = _wait(worker, end, lifeline, woken, folder, limits)
    finally:
        status = _end_all(worker)
        _tell(end, status, reason)
        os._exit(0)


def _wait(worker: int, end: int, lifeline: int, woken: int, folder: str, limits: dict[str, float]) -> bytes:
    """Wait until there is a reason to end the worker and what it has started. Return the reason."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(woken, select.POLLIN)
    most = _resident(os.getpid()) + limits["resident"] * _GIB
    measured, grown = time.monotonic(), False
    pause = 1.0
    while True:
        ready = {descriptor for descriptor, _ in poll.poll(_EVERY_S * 1000)}
        if woken in ready:
            os.read(woken, 4096)
        if lifeline in ready or _has_ended(worker):
            return ENDED
        if sum(map(_resident, _descendants(worker))) > most:
            return MEMORY
        now = time.monotonic()
        if now - measured < pause:
            continue
        size = _size(folder)
        measured = time.monotonic()
        pause = max(_EVERY_S, (measured - now) / _SHARE)
        if size > limits["folder"] * _GIB:
            return FOLDER
        if size > limits["recycle"] * _GIB and not grown:
            grown = True
            _tell(end, 0, GROWN)


def _has_ended(worker: int) -> bool:
    """Whether the worker has ended. Reap whatever else has; the worker keeps its process id until `_end_all`."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return True
        if found is None:
            return False
        if found.si_pid == worker:
            return True
        with suppress(ChildProcessError):
            os.waitpid(found.si_pid, 0)


def _end_all(worker: int) -> int:
    """Kill the worker, its process group and all that they have started. Return the worker's wait status."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, signal.SIGKILL)
    result: int = signal.SIGKILL
    left = {worker}
    while True:
        for child in {*_children(os.getpid()), *left}:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return result
        left.discard(pid)  # its children are the keeper's now
        result = status if pid == worker else result


def _children(process: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError), open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
                found += map(int, file.read().split())
    return found


def _descendants(process: int) -> list[int]:
    found = [process]
    for one in found:  # which grows meanwhile
        found += [child for child in _children(one) if child not in found]
    return found


def _resident(process: int) -> int:
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _size(folder: str) -> int:
    total, folders = 0, [folder]
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    return total


def give_way() -> None:
    """Give a new session its process's priority: Linux may share the processor among sessions, and begins with 0."""
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    if priority:
        with suppress(OSError), open("/proc/self/autogroup", "w") as group:
            group.write(str(priority))


def _prefer_when_memory_is_short() -> None:
    """Have the kernel end this process, and not the campaign's, if the machine runs out of memory."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def _prctl(option: int, value: int) -> None:
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _close_all_but(kept: set[int]) -> None:
    """Close the descriptors that the worker uses: nobody sees the end of its channel while the keeper holds it too."""
    folder = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    for name in os.listdir(folder):
        if int(name) not in kept:
            with suppress(OSError):  # the descriptor of the listing itself
                os.close(int(name))


def _tell(end: int, number: int, what: bytes) -> None:
    with suppress(OSError):  # the host has gone
        os.write(end, REPORT.pack(number, what))
