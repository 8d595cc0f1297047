"""Detect that a disk is full: a problem of the environment, and no fault of a compiler or of Polyjuice."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from polyjuice import cache
from polyjuice.execution.protocol import Outcome

OF_PROCESS = "polyjuice-process-"
"""The beginning of the name of a campaign process's folder of temporary files."""

_LITTLE = 2**20
"""A disk with fewer free bytes is full."""

_SCARCE = 2**30
"""With fewer free bytes, a compiler is believed that says that there is no space. It has freed its own by then."""

_WORDS = ("No space left on device", "Disk quota exceeded", "database or disk is full")
_ERRORS = (errno.ENOSPC, errno.EDQUOT)


class NoSpace(Exception):
    """There is no space left in a folder. It is no EnvironmentProblem: nobody takes it for a result, and goes on."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        path = Path(folder)  # the folder of a process goes with the process
        self.folder = str(path.parent if path.name.startswith(OF_PROCESS) else path)

    def __str__(self) -> str:
        return f"no space left in {self.folder}; free some"


def shortage(error: BaseException, folders: Iterable[Path] = ()) -> NoSpace | None:
    """Return the problem if an error comes from a full disk, else None.

    ``folders`` are those that the work writes to, beside the folder of temporary files and the cache.
    """
    chain = [*_chain(error)]
    if found := next((one for one in chain if isinstance(one, NoSpace)), None):
        return found
    full = [
        str(folder) for folder in (*folders, Path(tempfile.gettempdir()), cache.folder()) if _free(folder) < _LITTLE
    ]
    for one in chain:
        if isinstance(one, OSError) and one.errno in _ERRORS:
            return NoSpace(full[0] if full else _folder_of(one))
        if getattr(one, "sqlite_errorname", "") == "SQLITE_FULL":
            return NoSpace(full[0] if full else "the folder of the database")
        if full and isinstance(one, (OSError, sqlite3.OperationalError)):  # a copy or a part of a file that failed
            return NoSpace(full[0])
    return None


def shortage_of(outcome: Outcome) -> NoSpace | None:
    """Return the problem if a program failed because the disk of the temporary files is full, else None."""
    if outcome.status == "ok" or not any(word in outcome.message + outcome.traceback for word in _WORDS):
        return None
    folder = tempfile.gettempdir()
    return NoSpace(folder) if _free(Path(folder)) < _SCARCE else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _folder_of(error: OSError) -> str:
    return str(Path(os.fsdecode(error.filename)).parent) if isinstance(error.filename, (str, bytes)) else "a folder"


def _free(folder: Path) -> float:
    """The bytes that are free on a folder's disk: 0 if no file can be added, infinity if the folder is not there."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return float("inf")
    return 0 if found.f_files and not found.f_favail else found.f_bavail * found.f_frsize
