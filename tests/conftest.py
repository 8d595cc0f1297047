"""What holds for all tests: their environment, and the table of what frameworks do not run."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's further threads would mostly wait, at full load

import pytest

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import forkserver, host
from tests.support.unsupported import FILE, Unsupported

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in whatever a shell begins with `&`; processes inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
with suppress(AttributeError, OSError):  # of GNU's C library: keep freed memory, because new pages cost time
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**25)
    ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, 2**29)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-unsupported", action="store_true", help=f"write {FILE.name} anew (with -n 0)")


def pytest_configure(config: pytest.Config) -> None:
    """One process has to see all that goes into a file."""
    if config.getoption("--update-unsupported") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--update-unsupported needs -n 0")


@pytest.fixture(scope="session")
def unsupported(pytestconfig: pytest.Config) -> Iterator[Unsupported]:
    """What the committed table says that frameworks do not run."""
    table = Unsupported(pytestconfig.getoption("--update-unsupported"))
    yield table
    table.write()


@pytest.fixture(scope="session", autouse=True)
def _a_server_for_each_compiler() -> Iterator[None]:
    """Keep the fork servers of all compilers: tests take turns with more of them than a campaign does.

    The process for the user's code is told ``sys.path`` with each call. So one server is enough for all PYTHONPATHs.
    """
    server_of = host.server_of

    def shared(compiler: CompilerInfo, python: str | Path, options: Any) -> forkserver.ForkServer:
        with pytest.MonkeyPatch.context() as patch:
            if compiler.path.name == "sandbox_worker.py":
                patch.delenv("PYTHONPATH", raising=False)
            return server_of(compiler, python, options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forkserver, "_KEPT", 12)
        patch.setattr(host, "server_of", shared)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Iterator[None]:
    """Run a test in an environment that does not name it: forked workers are shared within one environment alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Iterator[None]:
    """Set up a fixture in such an environment, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        return (yield)
