"""Runs this suite in one compiler: `pytest DIR --compiler NAME`. It needs pytest, NumPy and the compiler's framework."""

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
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
HARNESS = HERE / "harness"
COMPILERS = sorted(path.stem for path in (HARNESS / "compilers").glob("[!_]*.py"))
USAGE_ERROR = 4  # pytest's own exit status for it

collect_ignore_glob = ["case-*", "harness"]  # nothing in there is a test


def load(name):
    """A file of the harness as a module, by its path: no name of ours is to hide a project's."""
    spec = importlib.util.spec_from_file_location("_suite_" + name, HARNESS / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_addoption(parser):
    group = parser.getgroup("equivalent programs")
    group.addoption("--compiler", help="The compiler under test: %s." % ", ".join(COMPILERS))
    group.addoption("--case-timeout", type=float, default=120.0, help="Seconds for one case.")
    group.addoption("--start-timeout", type=float, default=300.0, help="Seconds for the compiler's process to start.")


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        cases = sorted(path.parent for path in HERE.glob("case-*/case.json"))
        metafunc.parametrize("case", cases, ids=[case.name for case in cases])


@pytest.fixture(scope="session")
def compiler(request):
    name = request.config.getoption("--compiler")
    if name not in COMPILERS:
        said = "no compiler is called %r" % name if name else "which compiler?"
        pytest.exit("%s: --compiler is one of %s" % (said, ", ".join(COMPILERS)), returncode=USAGE_ERROR)
    limits = request.config.getoption("--start-timeout"), request.config.getoption("--case-timeout")
    compiler = Compiler(name, *limits)
    try:
        compiler.start()
        yield compiler
    except (Unusable, compiler.expectations.ExpectationError) as problem:
        pytest.exit(str(problem), returncode=USAGE_ERROR)
    finally:
        compiler.close()


class Unusable(Exception):
    """The compiler cannot be used here; the message is one line that says why."""


class Compiler:
    """A compiler in a process of its own, which is started anew after a crash or a hang."""

    def __init__(self, name, start_s, case_s):
        self.name, self.version = name, ""
        self.expectations = load("expected")
        self._start_s, self._case_s = start_s, case_s
        self._scratch = tempfile.mkdtemp(prefix="suite-")
        self._entries = []
        self._process = None

    def start(self):
        """Start the process. Raises Unusable."""
        self._entries = self.expectations.read(HERE / "xfail.toml")
        self._log = tempfile.TemporaryFile(dir=self._scratch)
        self._process = subprocess.Popen(
            [sys.executable, str(HARNESS / "runner.py"), self.name, self._scratch],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            env={**os.environ, "TMPDIR": self._scratch},
        )
        self._answers = queue.Queue()
        threading.Thread(target=self._listen, args=(self._process, self._answers), daemon=True).start()
        said = self._answer(self._start_s)
        if "version" not in said:
            problem = said.get("problem") or "%s did not start: %s" % (self.name, said["lost"])
            self._stop()
            raise Unusable(problem)
        self.version = said["version"]

    def expected(self, case):
        """Why a case is expected to fail, or ""."""
        return self.expectations.reason(self._entries, case, self.name, self.version)

    def run(self, folder):
        """("passed", "failed" or "skipped", what there is to say) of a case."""
        if self._process is None:
            self.start()
        stage = "begin"
        try:
            self._process.stdin.write(str(folder) + "\n")
            self._process.stdin.flush()
        except OSError:  # it died since the last case, which was not of this one's doing
            self._stop()
            self.start()
            return self.run(folder)
        while True:
            said = self._answer(self._case_s)
            stage = said.get("stage", stage)
            if "status" in said:
                return said["status"], said["message"]
            if "lost" in said:
                return "failed", "%s in %s" % (said["lost"], stage)

    def close(self):
        self._stop()
        shutil.rmtree(self._scratch, ignore_errors=True)

    @staticmethod
    def _listen(process, answers):
        for line in process.stdout:
            answers.put(json.loads(line))
        answers.put(None)

    def _answer(self, limit):
        """The next answer; {lost: how} where the process was ended, or does not answer and is ended here."""
        try:
            said = self._answers.get(timeout=limit)
        except queue.Empty:
            self._stop()
            return {"lost": "no end within %g s" % limit}
        if said is not None:
            return said
        status = self._process.wait()
        self._log.seek(0)
        words = self._log.read().decode("utf-8", "replace")[-2000:]
        self._stop()
        how = "was ended by %s" % signal.Signals(-status).name if status < 0 else "exited with status %d" % status
        return {"lost": "the process %s\n%s" % (how, words)}

    def _stop(self):
        """End the process and all that it has started."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        self._process.stdin.close()
        self._process = None
