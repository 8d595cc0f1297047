"""Scripts: a Python file runs in an interpreter, from scratch or forked from a process that has the framework imported.

Both are waited for and ended in the same way, and what they print is kept. Nothing that a script started outlives it.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Any, Protocol

from polyjuice.execution.forkserver import ForkServer
from polyjuice.execution.process import WorkerProcess


class Script(Protocol):
    """A script that has begun. `end` must be called, whether it has ended or not."""

    @property
    def runs(self) -> bool:
        """Whether it has not ended yet."""

    def wait(self, timeout: float) -> int:
        """Its exit status, as ``Popen.returncode`` has it. Raises subprocess.TimeoutExpired."""

    def printed(self) -> tuple[str, str]:
        """What it wrote to its standard output, and the end of what it wrote to its standard error, once it ended."""

    def end(self) -> None:
        """Kill what is left of it and of its children."""


class FromScratch:
    """A script in a process of its own, as a user runs it."""

    def __init__(self, path: Path, python: str) -> None:
        with ExitStack() as undo:
            self._files = [
                undo.enter_context(TemporaryFile("w+", encoding="utf-8", errors="replace")) for _ in range(2)
            ]
            said, errors = self._files
            self._process = subprocess.Popen(
                [python, path.name], cwd=path.parent, stdout=said, stderr=errors, start_new_session=True
            )
            undo.callback(self._kill)
            self._undo = undo.pop_all()

    @property
    def runs(self) -> bool:
        # A process that is not reaped keeps its id, by which its group is killed.
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self, timeout: float) -> int:
        return self._process.wait(timeout)

    def printed(self) -> tuple[str, str]:
        for file in self._files:
            file.seek(0)
        said, errors = (file.read() for file in self._files)
        return said, errors

    def end(self) -> None:
        self._undo.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Forked:
    """A script in a process that was forked from one which has the framework imported: Torch takes seconds for that."""

    def __init__(self, path: Path, server: ForkServer, options: Mapping[str, Any]) -> None:
        """Raises OSError where the server has gone."""
        with ExitStack() as undo:
            self._said = undo.enter_context(NamedTemporaryFile("r", encoding="utf-8", errors="replace"))
            script = {"path": str(path.absolute()), "stdout": self._said.name}
            self._process = WorkerProcess(server.fork, options, script=script)
            undo.callback(self._process.stop, at_once=True)
            self._undo = undo.pop_all()

    @property
    def runs(self) -> bool:
        try:
            self._process.wait(0.0)
        except subprocess.TimeoutExpired:
            return True
        return False

    def wait(self, timeout: float) -> int:
        return self._process.wait(timeout)

    def printed(self) -> tuple[str, str]:
        self._process.stop(at_once=True)  # no child of it holds its standard error any more
        return self._said.read(), self._process.stderr()

    def end(self) -> None:
        self._undo.close()
