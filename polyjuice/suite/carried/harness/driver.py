"""Runs a suite's cases in one compiler, in a process that the compiler may end, and knows which failures are expected.

The process is ``runner.py``. It starts again after a crash or a hang. Pytest and ``polyjuice suite run`` use this file.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import tomllib
except ImportError:  # Python 3.10 and before, where pytest brings it
    import tomli as tomllib  # type: ignore[no-redef, import-not-found, unused-ignore]

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

HERE = Path(__file__).resolve().parent
LOG_SHOWN = 2000  # characters of the output of a process before its end
NEEDED, OPTIONAL = ("case", "compiler", "url"), ("versions", "reason")


class Unusable(Exception):
    """The compiler cannot be used here; the message is one line that says why."""


class ExpectationError(ValueError):
    """An xfail.toml that cannot be used; the message is one line that says where and why."""


class Child:
    """A process that runs cases, as long as the compiler does not end it."""

    def __init__(self, python: str, compiler: Path, worker: Path, scratch: str) -> None:
        self.log = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - it lives as long as the process
        self.process = subprocess.Popen(
            [python, str(HERE / "runner.py"), str(compiler), str(worker), scratch],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            env={**os.environ, "TMPDIR": scratch},
        )
        self.answers: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, line: str) -> None:
        """Send a line, unless the process has ended: then its answer says so."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def answer(self, limit: float) -> dict[str, Any]:
        """The next answer, or {lost: reason} if the process ended or gave no answer within ``limit`` seconds.

        A lost process cannot be used again.
        """
        try:
            answer = self.answers.get(timeout=limit)
        except queue.Empty:
            return {"lost": f"no answer within {limit:g} s"}
        if answer:
            return answer
        status = self.process.wait()
        self.log.seek(0)
        words = self.log.read().decode("utf-8", "replace")[-LOG_SHOWN:]
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"exited with status {status}"
        return {"lost": f"the process {how}\n{words}".strip()}

    def end(self) -> None:
        """End the process and all processes that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.answers.put(json.loads(line))
        self.answers.put({})


class Compiler:
    """A compiler that runs cases: its file, the folder of ``worker.py``, and the interpreter that has the framework."""

    def __init__(self, file: Path, worker: Path, start_s: float, case_s: float, python: str = sys.executable) -> None:
        """``start_s`` limits the start of a process, and ``case_s`` each step of a case. Starts no process yet."""
        self.name, self.version = file.stem, ""
        self._command = python, file, worker
        self._start_s, self._case_s = start_s, case_s
        self._scratch = tempfile.mkdtemp(prefix="suite-")
        self._child: Child | None = None
        self._closed = False

    def start(self) -> Child:
        """The process, started if none runs. Raises Unusable."""
        if self._child:
            return self._child
        try:
            child = self._child = Child(*self._command, self._scratch)
        except OSError as error:
            raise Unusable(f"{self._command[0]} cannot run: {error.strerror}") from None
        if self._closed:  # by another thread
            child.end()
            raise Unusable(f"{self.name} was closed")
        answered = child.answer(self._start_s)
        if "version" not in answered:
            self.close()
            raise Unusable(answered.get("problem") or f"{self.name} did not start: {answered['lost']}")
        self.version = answered["version"]
        return child

    def run(self, folder: Path) -> tuple[str, str]:
        """Whether a case is ``passed``, ``failed`` or ``skipped``, and a message. Raises Unusable."""
        child, stage = self.start(), "the beginning"
        child.send(str(folder))
        while True:
            answered = child.answer(self._case_s)
            stage = answered.get("stage", stage)
            if "status" in answered:
                return answered["status"], answered["message"]
            if "lost" in answered:
                child.end()
                self._child = None
                return "failed", f"{stage}: {answered['lost']}"

    def close(self) -> None:
        """End the process, from any thread; none starts again."""
        self._closed = True
        if self._child:
            self._child.end()
        shutil.rmtree(self._scratch, ignore_errors=True)


def expectations(path: Path) -> Sequence[Mapping[str, str]]:
    """The entries of an ``xfail.toml`` (none where there is no file). Raises ExpectationError."""
    if not path.is_file():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("xfail", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ExpectationError(f"{path} is not TOML: {error}") from None
    if not isinstance(entries, list):
        raise ExpectationError(f"{path}: xfail is not a list of entries; each begins with [[xfail]]")
    for number, entry in enumerate(entries, 1):
        place = f"{path}, entry {number}"
        if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
            raise ExpectationError(f"{place}: an entry begins with [[xfail]], and has texts only")
        unknown = [name for name in entry if name not in (*NEEDED, *OPTIONAL)]
        missing = [name for name in NEEDED if not entry.get(name)]
        if unknown or missing:
            raise ExpectationError(f"{place}: {f'{unknown[0]} is unknown' if unknown else f'it has no {missing[0]}'}")
        try:
            SpecifierSet(entry.get("versions", ""))
        except InvalidSpecifier as error:
            raise ExpectationError(f"{place}: {error}") from None
    return entries


def reason(entries: Sequence[Mapping[str, str]], case: str, compiler: str, version: str) -> str:
    """The reason why a case is expected to fail in this version of a compiler, or ""."""
    for entry in entries:
        if (entry["case"], entry["compiler"]) == (case, compiler) and _is_in(entry.get("versions", ""), version):
            return ": ".join(filter(None, [entry["url"], entry.get("reason")]))
    return ""


def _is_in(versions: str, version: str) -> bool:
    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:  # a build of the user's own
        return True
