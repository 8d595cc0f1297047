"""Runs this suite in a compiler: `pytest DIR --compiler NAME`. It needs pytest, NumPy and the compiler's framework."""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
HARNESS = HERE / "harness"
COMPILERS = sorted(path.stem for path in (HARNESS / "compilers").glob("[!_]*.py"))
LOG_SHOWN = 2000  # characters of the output of a process before its end
USAGE_ERROR = 4  # pytest's own exit status for usage errors

collect_ignore_glob = ["case-*", "harness"]  # these folders have no tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of this suite: the compiler and its time limits."""
    group = parser.getgroup("equivalent programs")
    group.addoption("--compiler", help=f"The compiler under test: {', '.join(COMPILERS)}.")
    group.addoption(
        "--case-timeout", type=float, default=120.0, help="Seconds to load, to compile, or to run one program."
    )
    group.addoption("--start-timeout", type=float, default=300.0, help="Seconds for the compiler's process to start.")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each case."""
    if "case" in metafunc.fixturenames:
        cases = sorted(path.parent for path in HERE.glob("case-*/case.json"))
        metafunc.parametrize("case", cases, ids=[case.name for case in cases])


@pytest.fixture(scope="session")
def compiler(request: pytest.FixtureRequest) -> Iterator[Compiler]:
    """The compiler for all cases, in a process of its own."""
    name = request.config.getoption("--compiler")
    if name not in COMPILERS:
        problem = f"no compiler is called {name!r}" if name else "which compiler?"
        pytest.exit(f"{problem}: --compiler is one of {', '.join(COMPILERS)}", returncode=USAGE_ERROR)
    limits = request.config.getoption("--start-timeout"), request.config.getoption("--case-timeout")
    try:
        compiler = Compiler(name, *limits)
        compiler.start()
    except (Unusable, ValueError) as problem:  # ValueError: a mistake in xfail.toml
        pytest.exit(str(problem), returncode=USAGE_ERROR)
    yield compiler
    compiler.close()


class Unusable(Exception):
    """The compiler cannot be used here; the message is one line that says why."""


class Child:
    """A process that runs cases, as long as the compiler does not end it."""

    def __init__(self, name: str, scratch: str) -> None:
        self.log = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115 - it lives as long as the process
        self.process = subprocess.Popen(
            [sys.executable, str(HARNESS / "runner.py"), name, scratch],
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
        """Send a line. Raises OSError where the process has ended."""
        assert self.process.stdin
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
    """A compiler in a process of its own, which is started anew after a crash or a hang."""

    def __init__(self, name: str, start_s: float, case_s: float) -> None:
        """Read the expected failures. Raises ValueError for a mistake in their file."""
        self.name, self.version = name, ""
        self._start_s, self._case_s = start_s, case_s
        self._expected = load("expected")
        self._entries = self._expected.read(HERE / "xfail.toml")
        self._scratch = tempfile.mkdtemp(prefix="suite-")
        self._child: Child | None = None

    def start(self) -> Child:
        """The process, started if none runs. Raises Unusable."""
        if self._child:
            return self._child
        child = Child(self.name, self._scratch)
        answered = child.answer(self._start_s)
        if "version" not in answered:
            child.end()
            self.close()
            raise Unusable(answered.get("problem") or f"{self.name} did not start: {answered['lost']}")
        self.version = answered["version"]
        self._child = child
        return child

    def expected(self, case: str) -> str:
        """The reason why a case is expected to fail in this version, or ""."""
        reason: str = self._expected.reason(self._entries, case, self.name, self.version)
        return reason

    def run(self, folder: Path) -> tuple[str, str]:
        """Whether a case is ``passed``, ``failed`` or ``skipped``, and a message."""
        child, stage = self.start(), "the beginning"
        with suppress(OSError):  # the process has ended: then the answer says so
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
        """End the process."""
        if self._child:
            self._child.end()
        shutil.rmtree(self._scratch, ignore_errors=True)


def load(name: str) -> ModuleType:
    """A file of the harness as a module, loaded by its path, so that no name of ours hides one of the project's."""
    spec = importlib.util.spec_from_file_location(f"_suite_{name}", HARNESS / f"{name}.py")
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
