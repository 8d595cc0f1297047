"""The host's side of one worker process: start it, exchange frames within time limits, end it with all its children."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from polyjuice import cache
from polyjuice.compilers import CompilerInfo, EnvironmentProblem
from polyjuice.execution import _wire
from polyjuice.execution._keeper import FOLDER, GROWN, MEMORY, REPORT, STARTED
from polyjuice.execution.protocol import Limits

_WORKER = Path(__file__).with_name("worker.py")
_GRACE_S = 5.0  # seconds for a worker to end by itself before it is killed
_START_S = 60.0  # seconds for an interpreter to begin
_STDERR_BYTES = 16_384


class Handle(Protocol):
    """A process that the host only waits for or kills."""

    @property
    def pid(self) -> int:
        """The process id."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the status, as ``Popen.returncode``. Raises subprocess.TimeoutExpired."""

    def poll(self) -> int | None:
        """The status, or None if the process still runs."""


class Kept:
    """A worker with a keeper, which reports about it to the pipe ``reported`` (see ``_keeper.py``)."""

    def __init__(self, reported: int, timeout: float, reap: Callable[[], int] | None = None) -> None:
        """Wait until the worker has begun. Raises OSError if that takes more than ``timeout`` seconds.

        ``reap`` waits for the end of the keeper, if it is this process's child, and returns its status.
        """
        self._reported = reported
        self._reap = reap
        self._status: int | None = None
        self.grown = False
        """Whether the worker's temporary folder has grown so large that the worker shall be replaced."""
        self.reason = ""
        """The resource of which the worker held too much when its keeper ended it, or ""."""
        self.pid = 0
        self._read(timeout)
        if not self.pid and self._status is None:
            os.close(reported)
            raise TimeoutError(f"no worker began within {timeout:g} s")

    def wait(self, timeout: float | None = None) -> int:
        """See :class:`Handle`."""
        end = None if timeout is None else time.monotonic() + timeout
        while self._status is None:
            if not self._read(None if end is None else max(end - time.monotonic(), 0.0)):
                raise subprocess.TimeoutExpired(f"worker {self.pid}", timeout or 0.0)
        return self._status

    def poll(self) -> int | None:
        """See :class:`Handle`."""
        while self._status is None and self._read(0.0):
            pass
        return self._status

    def _read(self, timeout: float | None) -> bool:
        """Read a report, if there is one within ``timeout`` seconds, and return whether there was."""
        if not select.select([self._reported], [], [], timeout)[0]:
            return False
        report = os.read(self._reported, REPORT.size)
        number, what = REPORT.unpack(report) if len(report) == REPORT.size else (int(signal.SIGKILL), b"")
        if what == STARTED:
            self.pid = number
        elif what == GROWN:
            self.grown = True
        else:  # a keeper that was killed reports nothing, and its worker dies with it
            os.close(self._reported)
            self.reason = _REASONS.get(what, "")
            status = self._reap() if self._reap else 0
            self._status = os.waitstatus_to_exitcode(number) if self.pid else status  # without a worker, the keeper's
        return True


MEMORY_EXCESS = "memory"
_REASONS = {MEMORY: MEMORY_EXCESS, FOLDER: "temporary folder"}


@dataclass(frozen=True, kw_only=True)
class WorkerEnds:
    """The worker's ends of its channel, standard error and lifeline, and its settings.

    The settings are those of ``worker.py``, without the descriptors.
    """

    channel: socket.socket
    errors: int
    lifeline: int
    settings: Mapping[str, Any]


class WorkerProcess:
    """A worker process with its channel, standard error, scratch folder and process group."""

    def __init__(
        self,
        begin: Callable[[WorkerEnds], Handle],
        options: Mapping[str, Any],
        *,
        limits: Limits,
        memory_gib: float | None = None,
        probe: bool = False,
        server: bool = False,
        script: Mapping[str, str] | None = None,
    ) -> None:
        """Start the process by ``begin`` (`launcher` or a fork server), whose errors are passed on.

        With ``script``, the process runs that Python file and serves no requests (see ``_forks.py``).
        """
        with ExitStack() as undo:  # even an interrupt must leave nothing behind; a process ends without its lifeline
            scratch = tempfile.mkdtemp(prefix="polyjuice-")
            undo.callback(shutil.rmtree, scratch, ignore_errors=True)
            settings = {
                "memory_gib": memory_gib,
                "limits": {
                    "resident": limits.memory_gib,
                    "folder": limits.folder_gib,
                    "recycle": limits.recycle_folder_gib,
                },
                "probe": probe,
                "server": server,
                "script": script,
                "options": {
                    **options,
                    "scratch": scratch,
                    "toolchain": str(_toolchain_folder(scratch)),
                    "compiled": _compiled_folder(),
                },
            }
            ours, theirs = socket.socketpair()
            watched, lifeline = os.pipe()
            output, errors = os.pipe()
            undo.callback(ours.close)
            undo.callback(os.close, lifeline)
            self._stderr = _Tail(output)
            try:
                self._process = begin(WorkerEnds(channel=theirs, errors=errors, lifeline=watched, settings=settings))
            finally:
                theirs.close()
                os.close(watched)
                os.close(errors)
            self.pid = self._process.pid
            self._channel = ours
            self._stream = ours.makefile("rb")
            self._end = weakref.finalize(self, _end, self._process, ours, lifeline, scratch)
            undo.pop_all()

    @property
    def channel(self) -> socket.socket:
        """The host's end of the channel."""
        return self._channel

    def send(self, header: dict[str, Any], arrays: Sequence[_wire.Array], timeout: float) -> None:
        """Send a frame. Raises TimeoutError, or OSError if the worker has gone."""
        self._channel.settimeout(timeout)
        _wire.write(self._channel, header, arrays)

    def receive(self, timeout: float) -> _wire.Frame:
        """Receive the next frame. Raises TimeoutError, or EOFError or OSError if the worker has gone."""
        self._channel.settimeout(timeout)
        return _wire.read(self._stream)

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the process ends by itself; return its exit status. Raises subprocess.TimeoutExpired."""
        return self._process.wait(timeout)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended, or closed its channel. Ask only while it owes no answer."""
        if self._process.poll() is not None:
            return True
        if not select.select([self._channel], [], [], 0)[0]:
            return False
        try:
            return not self._channel.recv(1, socket.MSG_PEEK)
        except ConnectionError:
            return True

    def ends_soon(self) -> bool:
        """Whether the process ends by itself within 5 s."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE_S)
            return True
        return False

    @property
    def has_grown(self) -> bool:
        """Whether the worker's temporary folder has grown so large that the worker shall be replaced."""
        return not self.has_ended and isinstance(self._process, Kept) and self._process.grown

    @property
    def excess(self) -> str:
        """The resource of which the worker held too much when its keeper ended it, or ""."""
        return self._process.reason if isinstance(self._process, Kept) else ""

    def stop(self, *, at_once: bool = False) -> int:
        """End the worker and its children, and return its exit status. Harmless if the worker has ended.

        Unless `at_once`, wait up to 5 s for the worker to end by itself.
        """
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)
        try:
            if not at_once:
                self.ends_soon()
        finally:  # an interrupt may come during the wait
            self._end()
        self._stream.close()
        return self._process.wait()

    def stderr(self) -> str:
        """The last 16 KiB that a stopped worker wrote to its standard error and output."""
        return self._stderr.text()


def interpreter_of(compiler: CompilerInfo, python: str | Path) -> str:
    """Return the path of an interpreter. Raises EnvironmentProblem if there is none, or it cannot be executed."""
    interpreter = shutil.which(python)
    if interpreter is None:
        raise EnvironmentProblem(f"there is no Python interpreter at {python}: name one that has {compiler.needed()}")
    return interpreter


def is_python(interpreter: str | Path) -> bool:
    """Whether a program runs Python code."""
    with suppress(OSError, subprocess.TimeoutExpired):
        said = [interpreter, "-I", "-c", "import sys; sys.stdout.write('Python')"]
        return subprocess.run(said, capture_output=True, timeout=_START_S).stdout == b"Python"
    return False


def launcher(compiler: CompilerInfo, python: str | Path) -> Callable[[WorkerEnds], Handle]:
    """Return a function that starts worker processes from scratch. Raises as `interpreter_of`."""
    interpreter = interpreter_of(compiler, python)

    def begin(ends: WorkerEnds) -> Handle:
        with ExitStack() as undo:
            reported, end = os.pipe()
            undo.callback(os.close, reported)
            settings = {**ends.settings, "lifeline": ends.lifeline, "end": end}
            try:
                process = subprocess.Popen(
                    [interpreter, "-I", str(_WORKER), str(compiler.path), json.dumps(settings)],
                    stdin=ends.channel.fileno(),
                    stdout=ends.errors,
                    stderr=ends.errors,
                    pass_fds=(ends.lifeline, end),
                    start_new_session=True,
                    # Killed compilers leave temporary files behind: they are removed with the scratch folder.
                    env={**os.environ, "TMPDIR": settings["options"]["scratch"]},
                )
            except OSError as error:
                raise EnvironmentProblem(f"{interpreter} cannot be executed: {error.strerror}") from error
            finally:
                os.close(end)
            if settings["server"]:
                return process
            undo.pop_all()
            try:
                return Kept(reported, _START_S, process.wait)
            except BaseException as error:
                process.kill()
                process.wait()
                if isinstance(error, OSError):
                    raise EnvironmentProblem(f"{interpreter} does not begin to work: {error}") from error
                raise

    return begin


def describe_exit(status: int) -> str:
    """Return an exit status (as `Popen.returncode`) in words."""
    if status >= 0:
        return f"the process exited with status {status}"
    try:
        return f"the process was ended by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"the process was ended by signal {-status}"


class _Tail:
    """The last bytes of a stream. A thread keeps reading the stream, so that its writer never blocks."""

    def __init__(self, stream: int) -> None:
        self._bytes = bytearray()
        self._thread = threading.Thread(target=self._drain, args=(stream,), daemon=True)
        self._thread.start()

    def _drain(self, descriptor: int) -> None:
        with open(descriptor, "rb", buffering=0) as stream:
            while chunk := stream.read(_STDERR_BYTES):
                self._bytes += chunk
                del self._bytes[:-_STDERR_BYTES]

    def text(self) -> str:
        self._thread.join(_GRACE_S)
        return self._bytes.decode(errors="replace").strip()


def _end(process: Handle, channel: socket.socket, lifeline: int, scratch: str) -> None:
    """Kill the process group and release its resources. Runs once, at the latest when the interpreter exits."""
    channel.close()
    os.close(lifeline)
    if process.poll() is None:
        for kill in os.killpg, os.kill:  # a worker forked a moment ago has no group of its own yet
            with suppress(ProcessLookupError, PermissionError):  # macOS refuses to signal a group of zombies
                kill(process.pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(scratch, ignore_errors=True)


def _toolchain_folder(scratch: str) -> Path:
    """Compilers' costly files, safe to share: in the user's cache, or in the scratch folder if that is read-only."""
    folder = cache.folder() / "toolchain"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder if os.access(folder, os.W_OK) else Path(scratch, "toolchain")


_compiled: dict[int, tempfile.TemporaryDirectory[str]] = {}
"""The folder of each process, by its number: a fork gets one of its own."""

_MOST_COMPILED = 500
"""The most files in such a folder."""


def _compiled_folder() -> str:
    """The folder for what this process's workers compile, so that no worker compiles it again."""
    if os.getpid() not in _compiled:
        _compiled[os.getpid()] = tempfile.TemporaryDirectory(prefix="polyjuice-")
    folder = _compiled[os.getpid()].name
    os.makedirs(folder, 0o700, exist_ok=True)  # the system may have removed it meanwhile
    if len(files := os.listdir(folder)) > _MOST_COMPILED:
        for file in files:
            Path(folder, file).unlink(missing_ok=True)
    return folder
