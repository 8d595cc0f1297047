"""Campaigns and compilers in the test's own process: a campaign of some cases then takes a tenth of a second.

A process that imports Polyjuice takes half a second, one that imports Torch two seconds, and each campaign starts
several. :func:`everything` replaces them for the controls and for the compilers that tests write (``plugins.py``).
Each worker still gets a fresh copy of its compiler file. Faults that end or block a process need real processes.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from polyjuice import session
from polyjuice.campaign import loop, pool, processes
from polyjuice.campaign.pool import Setup
from polyjuice.compilers import CompilerInfo, EnvironmentProblem
from polyjuice.execution import FromScratch, Worker, _forks, _wire
from polyjuice.execution import worker as worker_file
from polyjuice.execution.protocol import from_wire
from polyjuice.frameworks import sandbox
from polyjuice.frameworks.forked import fork
from polyjuice.triage import environment, finding
from tests.support.workers import HOPELESS_S

_PLUGIN = re.compile(r"^\s*import \w+_compiler", re.MULTILINE)
"""A reproducer imports such a module if a test wrote the compiler (see ``plugins.py``)."""


@contextmanager
def everything() -> Iterator[None]:
    """Run campaigns, workers, the user's code and reproducers in this process, for the compilers of :func:`fits`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "Worker", _worker)
        patch.setattr(sandbox, "Worker", _worker)
        patch.setattr(pool, "warm", lambda: None)
        patch.setattr(loop, "Processes", _Pool)
        patch.setattr(finding, "FromScratch", _script)
        patch.setattr(environment, "collect_env", lambda python: "PyTorch version: as installed")
        patch.setattr(time, "perf_counter", time.perf_counter)  # put back at the end: some compilers have a clock
        yield


def fits(compiler: CompilerInfo) -> bool:
    """Whether a compiler works in this process: it is a control, a test has written it, or it is the sandbox."""
    if compiler.name == "eager":
        return "torch" in sys.modules
    return compiler.name == "numpy" or compiler.path.stem.endswith(("_compiler", "sandbox_worker"))


class InProcess(Worker):
    """A worker whose compiler file is loaded here."""

    _module: ModuleType | None = None
    _inputs: Sequence[Sequence[_wire.Array]] = ()

    def start(self) -> None:
        """Load a fresh copy of the compiler file. Raises EnvironmentProblem if the compiler cannot be used."""
        if self._module:
            return
        options = {**dict.fromkeys(("scratch", "toolchain", "compiled"), tempfile.gettempdir()), **self.options}
        try:
            module = worker_file.load_compiler(self.compiler.path)
            version = module.version()
            module.check()
            if hasattr(module, "prepare"):
                module.prepare(options)
            module.start(options)
        except ImportError as error:
            raise EnvironmentProblem(f"{self.compiler.name} needs {self.compiler.needed()}: {error}") from None
        except RuntimeError as error:
            raise EnvironmentProblem(str(error)) from None
        self.info = {"version": version, "python": sys.version.split()[0], "knobs": module.knobs()}
        self.info["anytime"] = module.anytime() if hasattr(module, "anytime") else []
        self._module = module
        self._process: Any = self  # inputs that are held belong to it

    def warm(self) -> None:
        """No process of its own to start."""

    def _ask(
        self, request: dict[str, Any], arrays: list[_wire.Array], programs: int = 1
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Answer a request as ``execution/worker.py`` does. Arrays are copied, as a channel would."""
        assert self._module
        first = 1 + len(request["names"])
        if request["sets"]:
            self._inputs = worker_file._split(arrays[first:], request["sets"])
        inputs = [_copied(one) for one in self._inputs]
        job = worker_file.Job(self._module, lambda stage, number: None, _wire.checked, request, arrays[:first], inputs)
        report, results = job.execute()
        return {**report, "disturbed": []}, [from_wire(array) for array in _copied(results)]

    def _discard(self, *, at_once: bool = False) -> None:
        self._module = self._process = None

    @property
    def pid(self) -> int | None:
        """No process of its own."""
        return None


def _copied(arrays: Sequence[_wire.Array]) -> list[_wire.Array]:
    return [(dtype, np.array(values)) for dtype, values in arrays]


def _worker(compiler: CompilerInfo, **options: Any) -> Worker:
    here = fits(compiler) and str(options.get("python", sys.executable)) == sys.executable
    return (InProcess if here else Worker)(compiler, **options)


class _Pool:
    """A pool that does each task at once."""

    def __init__(self, setup: Setup) -> None:
        self.workers = setup.config.workers
        processes._job = setup.config, setup.folder, setup.rules, setup.reported()

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work(*arguments))
        except Exception as error:  # noqa: BLE001  the campaign gets it from the future
            future.set_exception(error)
        return future

    def died(self, future: Future[Any]) -> bool:
        return False

    def said(self) -> str:
        return processes.PHASES[0]

    def tend(self) -> None: ...

    def shutdown(self, *, at_once: bool = False) -> None:
        processes._begin_anew()
        processes._job = None


def _script(path: Path, python: str) -> FromScratch | _Script:
    is_plugin = _PLUGIN.search(path.read_text(encoding="utf-8")) and python == sys.executable
    return _Script(path) if is_plugin else FromScratch(path, python)


class _Script:
    """A Python file in a fork of this process, which has already imported what the file needs."""

    def __init__(self, path: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="in-process-"))
        self._status: int | None = None
        output, errors = (self._folder / name for name in ("output", "errors"))
        self._pid = fork()
        if not self._pid:
            try:
                os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
                sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
                if torch := sys.modules.get("torch"):
                    torch.set_num_threads(1)  # a fork does not have the others
                for name in [name for name in sys.modules if name.endswith(("_compiler", "_bug"))]:
                    del sys.modules[name]
                os.environ.setdefault("TMPDIR", tempfile.gettempdir())
                _forks.run_script(str(path), str(output), dict(os.environ))
            finally:
                os._exit(1)

    @property
    def runs(self) -> bool:
        """Whether the process still runs."""
        return self._status is None and os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self, timeout: float) -> int:
        """Wait for the end and return the status. Raises subprocess.TimeoutExpired."""
        if self._status is None:
            end = os.pidfd_open(self._pid)
            ended = select.select([end], [], [], timeout)[0]
            os.close(end)
            if not ended:
                raise subprocess.TimeoutExpired("the script", timeout)
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status

    def printed(self) -> tuple[str, str]:
        """The standard output and the standard error."""
        output, errors = ((self._folder / name).read_text(errors="replace") for name in ("output", "errors"))
        return output, errors

    def end(self) -> None:
        """Kill the script if it still runs, and remove the files."""
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)
            self.wait(HOPELESS_S)
        shutil.rmtree(self._folder, ignore_errors=True)
