"""Scripts: run a Python file in a new interpreter, or forked from a fork server that has imported the framework.

Both kinds have the same methods, and their output is kept. No child of a script outlives it.
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
from polyjuice.execution.protocol import Limits


class Script(Protocol):
    """A script that has been started. Call `end` in any case, even if the script has ended by itself."""

    def wait(self, timeout: float) -> int:
        """Wait for the end and return the status, as ``Popen.returncode``. Raises subprocess.TimeoutExpired."""

    def printed(self) -> tuple[str, str]:
        """After the script's end: its standard output, and the last part of its standard error."""

    def end(self) -> None:
        """Kill the script and its children, if they still run, and remove its files."""


class FromScratch:
    """A script in a new interpreter, as a user would run it."""

    def __init__(self, path: Path, python: str) -> None:
        with ExitStack() as undo:
            self._files = [
                undo.enter_context(TemporaryFile("w+", encoding="utf-8", errors="replace")) for _ in range(2)
            ]
            output, errors = self._files
            self._process = subprocess.Popen(
                [python, path.name], cwd=path.parent, stdout=output, stderr=errors, start_new_session=True
            )
            undo.callback(self._kill)
            self._undo = undo.pop_all()

    def wait(self, timeout: float) -> int:
        """See :class:`Script`."""
        return self._process.wait(timeout)

    def printed(self) -> tuple[str, str]:
        """See :class:`Script`; the standard error is complete."""
        for file in self._files:
            file.seek(0)
        output, errors = (file.read() for file in self._files)
        return output, errors

    def end(self) -> None:
        """See :class:`Script`."""
        self._undo.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Forked:
    """A script forked from a server that has imported the framework, which takes Torch seconds."""

    def __init__(self, path: Path, server: ForkServer, options: Mapping[str, Any]) -> None:
        """Start the script. Raises OSError if the server has gone."""
        with ExitStack() as undo:
            self._output = undo.enter_context(NamedTemporaryFile("r", encoding="utf-8", errors="replace"))
            script = {"path": str(path.absolute()), "stdout": self._output.name}
            self._process = WorkerProcess(server.fork, options, limits=Limits(), script=script)
            undo.callback(self._process.stop, at_once=True)
            self._undo = undo.pop_all()

    def wait(self, timeout: float) -> int:
        """See :class:`Script`."""
        return self._process.wait(timeout)

    def printed(self) -> tuple[str, str]:
        """See :class:`Script`; of the standard error, the last 16 KiB."""
        self._process.stop(at_once=True)  # ends its children too, which hold its standard error open
        return self._output.read(), self._process.stderr()

    def end(self) -> None:
        """See :class:`Script`."""
        self._undo.close()
