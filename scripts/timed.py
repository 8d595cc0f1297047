"""Run a command, and print its wall time and its processor time at the end.

    python scripts/timed.py COMMAND...

The processor time contains all processes that the command started. On Linux this process adopts those that lose their
parent, as a fork server does when its campaign ends; nobody would count them otherwise. A fixed loop shows how fast the
machine is. The exit status is the command's.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress

LOOP = "total = 0\nfor number in range(20_000_000):\n    total += 1"
GRACE_S = 10
"""The seconds that processes may outlive the command. Later ones do not count."""

_PR_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    """Run the command, print its times, and return its exit status."""
    status, wall, processor = run(command)
    print(f"wall time {wall:.0f} s, processor time {processor:.0f} s", end="; ")
    print(f"20 million additions in Python take {_loop():.2f} s on this machine", flush=True)
    return status


def run(command: list[str]) -> tuple[int, float, float]:
    """Run the command. Return its exit status, its wall time and its processor time, in seconds."""
    signal.signal(signal.SIGINT, lambda *_: None)  # the command decides what an interrupt does
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    process = subprocess.Popen(command)
    ended = -1
    while ended != process.pid:
        ended, status = os.wait()
    wall = time.monotonic() - began
    _reap_others()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code, wall, used.ru_utime + used.ru_stime


def _reap_others() -> None:
    """Wait until the processes that the command left behind have ended, so that they are counted."""
    deadline = time.monotonic() + GRACE_S
    with suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.05)


def _loop() -> float:
    """Return the processor time of the fixed loop, in seconds."""
    began = time.process_time()
    exec(LOOP, {})  # with global variables, as a script has them
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
