"""Locks of a campaign's folder, which the kernel releases when their process ends, in whatever way.

A campaign holds ``lock`` alone while it runs. Commands that write into its findings share it meanwhile, and so keep the
campaign from running. The campaign's processes share ``processes.lock``: a process of a killed campaign may go on
for a moment, and its campaign must not be continued before that.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DATABASE, LOCK, PROCESSES = "campaign.sqlite", "lock", "processes.lock"
"""The names of files in a campaign's folder."""

_AGAIN_S = 0.05
"""Seconds between two attempts to get a lock."""


class Locked(Exception):
    """Another process holds the lock."""


class Running(ValueError):
    """A campaign runs, and would change what a command is about to write."""


class Lock:
    """A lock on a file; `shared` by several processes, or held by one alone. Raises Locked after ``wait_s`` seconds."""

    def __init__(self, path: Path, *, shared: bool = False, wait_s: float = 0.0) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        end = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(self._file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= end:
                    self.release()
                    raise Locked(str(path)) from None
                time.sleep(_AGAIN_S)
            except BaseException:
                self.release()
                raise

    def release(self) -> None:
        """Give the lock back; harmless if that has happened."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def is_running(campaign: Path) -> bool:
    """Whether a process runs the campaign in a folder; False also where its lock cannot be opened."""
    try:
        Lock(campaign / LOCK, shared=True).release()
    except Locked:
        return True
    except OSError:  # another user's campaign
        pass
    return False


def campaign_of(finding: Path) -> Path | None:
    """The folder of the campaign that a finding's folder belongs to, if it lies in one."""
    above = finding.resolve().parents[1:3]  # raw/NAME, and raw/NAME/reduced
    return next((folder for folder in above if (folder / DATABASE).is_file()), None)


@contextmanager
def hold_campaign_lock(campaign: Path | None) -> Iterator[None]:
    """Keep a campaign from running inside the block, because it would change what the block writes. Raises Running.

    A campaign that nobody can run here, because its folder is not writable, needs no lock.
    """
    if campaign is None or not os.access(campaign, os.W_OK):
        yield
        return
    try:
        lock = Lock(campaign / LOCK, shared=True)
    except Locked:
        raise Running(
            f"the campaign in {campaign} is running, and writes into its findings itself: wait until it has ended, or "
            "copy the finding to another folder"
        ) from None
    try:
        yield
    finally:
        lock.release()
