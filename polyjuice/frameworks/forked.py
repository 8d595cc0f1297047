"""Call a function in a forked process, within limits of time and memory: a crash or a hang ends only that process.

ONNX's checker, shape inference, version converter and inliner are C++ code, which a hostile model can crash. A fork
costs a few milliseconds, because it has all modules of this process. It protects from crashes, hangs and full memory,
not from code that takes the process over: the process has the rights of the user.

The process waits in vain for a lock that another thread holds at the fork, as of a module that it imports. No thread of
Polyjuice that runs beside a read imports or computes.
"""

from __future__ import annotations

import faulthandler
import gc
import mmap
import os
import pickle
import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import EVALUATION, ReadLimits, read_limits

T = TypeVar("T")

_TEXT = 512
"""The most bytes of the text that says what the process does."""

_WAITING = 4
"""How many times as long as it may compute the process may take in all."""

_place: mmap.mmap | None = None
"""In the forked process: the shared text that says what it does."""

_RESET = (signal.SIGTERM, signal.SIGALRM, signal.SIGPROF, signal.SIGCHLD)
"""The signals for which the process that forks may have handlers."""


class Defect(RuntimeError):
    """A fault of Polyjuice in the forked process; the message ends with its traceback."""


def run_in_fork(function: Callable[[], T], where: str, verb: str = "read") -> T:
    """Return what ``function`` returns in a forked process; ``where`` (a file name) begins the messages.

    ``verb`` says what it does with the model: it reads it, or evaluates it (``evaluated``), which may take longer.
    The result or the FormatError comes back through a pipe from this program's own child, pickled. Raises FormatError,
    also where the process crashes or exceeds the limits, and Defect for any other error.
    """
    limits = read_limits()
    if verb == "evaluated":
        limits = replace(limits, seconds=EVALUATION * limits.seconds)
    answer, status, doing = _run(function, limits)
    if answer is None or status:
        raise FormatError(f"{where}: {_end(status, limits, verb)}{doing}")
    kind, value = answer
    if kind == "memory":
        reason = f"it cannot be {verb} in {limits.memory_gib:g} GiB of memory; make it smaller, or raise --read-memory"
        raise FormatError(f"{where}: {reason}{doing}")
    if kind == "defect":
        raise Defect(f"{where}: {value}")
    if kind == "error":
        raise value
    result: T = value
    return result


def _run(function: Callable[[], object], limits: ReadLimits) -> tuple[tuple[str, Any] | None, int, str]:
    """Fork, and return the answer of the process (None if it died), its exit status, and what it was doing."""
    with mmap.mmap(-1, _TEXT) as place:
        source, target = os.pipe()
        unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        child, status = 0, None
        try:
            child = fork()
            if not child:
                _serve(function, place, target, limits, unblocked)
            signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
            os.close(target)
            with open(source, "rb") as stream:
                answer = _answer(stream)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        finally:
            if status is None:  # an interrupt, or no process could be forked
                signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
                _kill(child)
        text = place[:].rstrip(b"\0").decode(errors="replace")
        return answer, status, f" ({text})" if text else ""


def fork() -> int:
    """Fork a process that never collects this one's garbage: an e-graph's finalizer waits for threads that it lacks."""
    collects = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of threads
            child = os.fork()
        if not child:
            gc.freeze()
    finally:
        if collects:
            gc.enable()
    return child


def _kill(child: int) -> None:
    if child:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


@contextmanager
def doing(text: str) -> Iterator[None]:
    """Say what the forked process does inside the block, for the message if it dies there."""
    if _place is None:
        yield
        return
    before = _place[:]
    raw = text.encode(errors="replace")[:_TEXT]
    _place[:] = raw + bytes(_TEXT - len(raw))
    yield
    _place[:] = before


def _answer(stream: BinaryIO) -> tuple[str, Any] | None:
    try:
        answer: tuple[str, Any] = pickle.load(stream)
    except (EOFError, pickle.UnpicklingError):
        return None
    return answer


def _end(status: int, limits: ReadLimits, verb: str) -> str:
    if status in (-signal.SIGALRM, -signal.SIGPROF):
        return f"it cannot be {verb} within {limits.seconds:g} s; make the model smaller, or raise --read-timeout"
    if status == -signal.SIGKILL:
        return "its process was killed; perhaps the machine's memory is full"
    name = signal.Signals(-status).name if status < 0 else f"status {status}"
    return f"the model crashes ONNX's library ({name}); see what onnx.checker says of it"


def _serve(
    function: Callable[[], object], place: mmap.mmap, target: int, limits: ReadLimits, unblocked: set[Any]
) -> NoReturn:
    """Be the forked process: limit it, call the function, send its answer, and end without any cleaning up."""
    global _place
    try:
        _place = place
        for number in _RESET:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits answers an interrupt
        signal.setitimer(signal.ITIMER_PROF, limits.seconds)  # processor time: others may keep the machine busy
        signal.setitimer(signal.ITIMER_REAL, _WAITING * limits.seconds)
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked - set(_RESET))
        faulthandler.disable()
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _limit_memory(limits.memory_gib)
        with open(target, "wb") as pipe:
            answer = _called(function)
            pickle.dump(answer, pipe, protocol=pickle.HIGHEST_PROTOCOL)
        os._exit(0)
    finally:
        os._exit(1)


def _called(function: Callable[[], object]) -> tuple[str, object]:
    try:
        return "result", function()
    except FormatError as error:
        return "error", error
    except MemoryError:
        return "memory", None
    except Exception as error:  # noqa: BLE001 - a fault of ours, which the caller reports as one
        return "defect", f"{type(error).__name__}: {error}\n{traceback.format_exc()}"


def _limit_memory(gib: float) -> None:
    with suppress(FileNotFoundError, OSError, ValueError):  # macOS has no /proc, and refuses the limit
        present = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = present + int(gib * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
