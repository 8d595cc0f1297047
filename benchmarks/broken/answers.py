"""Run commands on a mutant in a forked process, and classify what each one answers.

The process that forks has imported Polyjuice, so a command costs what it does and no more. It must not have used
egglog, whose threads a forked process lacks.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol

from polyjuice.cli.common import DEFECT, FINDINGS, OK, USAGE

READ, REFUSED = "read", "refused"
FINE = (READ, REFUSED)
TRACEBACK, DEFECTIVE, HANG, CRASH = "traceback", "defect", "hang", "crash"
LINES, STRAY, ESCAPE, STATUS = "more than one line", "file outside the output folder", "escape", "other status"
FAULTS = (TRACEBACK, DEFECTIVE, HANG, CRASH, LINES, STRAY, ESCAPE, STATUS)
"""Answers that must never occur.

``traceback``: Python's own, of whatever status. ``defect``: status 3. ``hang``: no end within the limit. ``crash``: the
process was ended by a signal, or ended without a status. ``more than one line``: status 2 without exactly one line on
standard error. ``file outside the output folder``: a file was made, changed or deleted elsewhere. ``escape``: control
characters in the output. ``other status``: a status that the command line does not document.
"""

LIMIT_S = 20.0
"""How long a command may take on a machine that does nothing else; on a busy one, longer in proportion."""

MEMORY = 4 * 2**30
"""How many bytes of address space a command may take, besides those of the process that forks."""

_CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]")
"""Control characters, also those that change the direction of text; not the tabulator and the end of a line."""


_PASSING = re.compile(r"\.ses|polyjuice-\w+")
"""Names that may stand in the folder for temporary files: ONNX Runtime's session identifier, and folders of workers.

A worker's keeper removes its folder a moment after the command, or at the end of a process that keeps a server.
"""


class Runnable(Protocol):
    """A command as :class:`benchmarks.broken.commands.Command`."""

    @property
    def name(self) -> str:
        """Its name in the table."""
        ...

    @property
    def writes(self) -> tuple[str, ...]:
        """The files of the mutant that it may change."""
        ...

    @property
    def when(self) -> Callable[[Path], bool]:
        """Whether a mutant's folder has what it reads."""
        ...

    def run(self, folder: Path, out: Path) -> int:
        """Run it and return its exit status."""
        ...


@dataclass(frozen=True)
class Answer:
    """The answer of a command: READ, REFUSED or one of FAULTS, its exit status, and its standard error.

    ``where`` tells one fault from another: the error and the innermost line of Polyjuice's own code.
    """

    command: str
    answer: str
    status: int | None = None
    text: str = ""
    where: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Surroundings:
    """The folders around a mutant: all that a command may see or spoil.

    ``mutant`` holds the mutant, ``out`` is for output, and ``work`` is the empty current directory.
    """

    root: Path

    @property
    def mutant(self) -> Path:
        """The mutant's folder."""
        return self.root / "around" / "mutant"

    @property
    def out(self) -> Path:
        """The folder for output."""
        return self.root / "around" / "out"

    @property
    def work(self) -> Path:
        """The current directory of commands."""
        return self.root / "around" / "work"

    @property
    def temporary(self) -> Path:
        """The folder for temporary files, which must be empty again at the end."""
        return self.root / "tmp"

    @property
    def home(self) -> Path:
        """The home directory."""
        return self.root / "home"

    @property
    def streams(self) -> Path:
        """The folder for standard output and standard error."""
        return self.root / "streams"

    def make(self) -> None:
        """Make the folders, except for the mutant's, and files that nothing may touch."""
        for folder in (self.work, self.temporary, self.home, self.streams):
            folder.mkdir(parents=True)
        for folder in (self.root, self.root / "around"):
            (folder / "canary.txt").write_text("untouched\n")
        self.out.mkdir()

    def files(self, allowed: Sequence[str]) -> dict[str, str]:
        """A digest of each file by its path, but for the output folder and files of the mutant that may change."""
        found = {}
        free = (self.out, self.streams, *(self.mutant / name for name in allowed))
        for folder, folders, files in os.walk(self.root):
            here = Path(folder)
            kept = [name for name in folders if here / name not in free]
            folders[:] = [name for name in kept if here != self.temporary or not _PASSING.fullmatch(name)]
            for name in (*files, *folders):
                path = here / name
                if path not in free and not (here == self.temporary and _PASSING.fullmatch(name)):
                    found[str(path.relative_to(self.root))] = _digest(path)
        return found


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"link to {os.readlink(path)}"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "not a file"


def answers(around: Surroundings, commands: Sequence[Runnable], limit_s: float = LIMIT_S) -> Iterator[Answer]:
    """Run the commands one after another on the mutant of ``around``; a process that dies is followed by another."""
    rest = [command for command in commands if command.when(around.mutant)]
    while rest:
        done = 0
        for answer in _in_one_process(around, rest, limit_s):
            done += 1
            yield answer
        rest = rest[done:]


def _in_one_process(around: Surroundings, commands: Sequence[Runnable], limit_s: float) -> Iterator[Answer]:
    """The answers of one process: of all commands, or up to one that ends it."""
    source, target = os.pipe()
    release, released = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        os.close(source)
        os.close(released)
        _serve(around, commands, target, release)
    os.close(target)
    os.close(release)
    try:
        with open(source, "rb") as stream:
            for command in commands:
                before = around.files(command.writes)
                began = time.monotonic()
                os.write(released, b"x")
                line = _line(stream, limit_s)
                seconds = time.monotonic() - began
                answer = _classified(command.name, line, around, seconds)
                after = around.files(command.writes)
                stray = sorted({*before.items()} ^ {*after.items()})
                if stray and answer.answer in FINE:
                    answer = Answer(command.name, STRAY, answer.status, answer.text, stray[0][0], seconds)
                yield answer
                _tidy(around, {path for path, _ in stray} - before.keys())
                if line is None or line == b"":
                    return
    finally:
        os.close(released)
        _end(child)


def _line(stream: object, limit_s: float) -> bytes | None:
    """The next line from a process; empty if it has ended, None if the time is over."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    ready, _, _ = select.select([stream], [], [], limit_s * busy)
    return stream.readline() if ready else None  # type: ignore[attr-defined, no-any-return]


def _end(child: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    os.waitpid(child, 0)


def _tidy(around: Surroundings, stray: set[str]) -> None:
    """Empty the output folder, and delete files that should not be there."""
    shutil.rmtree(around.out, ignore_errors=True)
    around.out.mkdir(exist_ok=True)
    for name in sorted(stray, reverse=True):
        path = around.root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _classified(name: str, line: bytes | None, around: Surroundings, seconds: float) -> Answer:
    stdout, stderr = (_text(around.streams / stream) for stream in ("stdout", "stderr"))
    if line is None:
        return Answer(name, HANG, None, stderr[-4000:], _innermost(stderr), seconds)
    if not line:
        return Answer(name, CRASH, None, stderr[-4000:], _innermost(stderr), seconds)
    status = int(json.loads(line)["status"])
    answer, where = _judged(status, stdout, stderr)
    return Answer(name, answer, status, stderr[-6000:] if answer not in FINE else stderr[:400], where, seconds)


def _judged(status: int, stdout: str, stderr: str) -> tuple[str, str]:
    """The answer, and what tells one fault from another."""
    text = stdout + stderr
    if re.search(r"^Traceback \(most recent call last\)", text, re.MULTILINE):
        return TRACEBACK, _innermost(text)
    if status == DEFECT:
        return DEFECTIVE, (stderr.strip().splitlines() or [""])[-1][:160]
    if status not in (OK, FINDINGS, USAGE):
        return STATUS, str(status)
    if found := _CONTROL.search(text):
        return ESCAPE, repr(text[max(0, found.start() - 30) : found.end() + 10])
    if status == USAGE:
        return (REFUSED, "") if stderr.count("\n") == 1 and stderr.strip() else (LINES, stderr[:160])
    return READ, ""


_FRAME = re.compile(r'File "[^"]*?(polyjuice/[^"]+|benchmarks/[^"]+|rules/[^"]+)", line (\d+), in (\S+)')
_ERROR = re.compile(
    r"^([A-Za-z_][\w.]*(?:Error|Exception|Missing|Unlowerable|Interrupt|Warning|Stop\w+|Defect|Ended|Unfit|Unequal))\b",
    re.M,
)


def _innermost(text: str) -> str:
    """The last error of a traceback, and its innermost line in Polyjuice."""
    frames, errors = _FRAME.findall(text), _ERROR.findall(text)
    place = "{}:{} {}".format(*frames[-1]) if frames else "?"
    return f"{errors[-1] if errors else '?'} at {place}"


def _text(path: Path) -> str:
    return path.read_text("utf-8", errors="backslashreplace") if path.is_file() else ""


# --- in the forked process -------------------------------------------------------------------------------------------


def _serve(around: Surroundings, commands: Sequence[Runnable], target: int, release: int) -> NoReturn:
    """Run each command when the parent says so, with its output in files, and report its status."""
    try:
        os.setsid()
        os.chdir(around.work)
        present = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (present + MEMORY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for command in commands:
            if not os.read(release, 1):
                break
            status = _captured(command, around)
            os.write(target, json.dumps({"status": status}).encode() + b"\n")
    finally:
        os._exit(0)


def _captured(command: Runnable, around: Surroundings) -> int:
    with _into(around.streams / "stdout", 1), _into(around.streams / "stderr", 2):
        try:
            status = command.run(around.mutant, around.out)
        except BaseException:  # noqa: BLE001 - a fault, which the parent sees by its traceback
            traceback.print_exc()
            status = DEFECT
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    return status


@contextmanager
def _into(path: Path, descriptor: int) -> Iterator[None]:
    """Write a standard stream to a file."""
    kept, file = os.dup(descriptor), os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, descriptor)
    try:
        yield
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)
        os.close(file)


def counted(found: Mapping[str, int]) -> str:
    """Counts of answers as a cell of the table: what was read and refused, then faults by name."""
    faults = [f"**{found[name]} {name}**" for name in FAULTS if found.get(name)]
    return ", ".join([f"{found.get(READ, 0)} / {found.get(REFUSED, 0)}", *faults])
