"""Settings for all tests: their environment, and the table of programs that frameworks do not run."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more NumPy threads would only wait, at full load

import pytest
from hypothesis import settings

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import forkserver, host
from tests.support import in_process as support_in_process
from tests.support import libraries, unchanged
from tests.support.unsupported import FILE, Unsupported

settings.register_profile("without deadlines", deadline=None)  # how long an example takes depends on the machine
settings.load_profile("without deadlines")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell does for `command &`; processes inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
with suppress(AttributeError, OSError):  # GNU's C library keeps freed memory, because new pages cost time
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**25)
    ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, 2**29)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-unsupported", action="store_true", help=f"write {FILE.name} anew (with -n 0)")
    parser.addoption("--update-operators", action="store_true", help=f"write {unchanged.FILE.name} (with -n 0)")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to update a table from several processes: one process has to see all results."""
    updates = [name for name in ("--update-unsupported", "--update-operators") if config.getoption(name)]
    if updates and config.getoption("numprocesses", None):
        raise pytest.UsageError(f"{updates[0]} needs -n 0")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the digests of the operators that have passed."""
    if session.config.getoption("--update-operators"):
        unchanged.FILE.write_text(unchanged.UNCHANGED.render(), encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each of two workers run tests that import frameworks last, since forks of a large process take long.

    The worker that begins with the second half does not meet TensorFlow.
    """
    named = {item: libraries.of(item) for item in items}
    tensorflow = [item for item in items if "tensorflow" in named[item]]
    small = [item for item in items if not named[item] and "frameworks" not in item.path.parts]
    kept = {*tensorflow, *small}
    other = [item for item in items if item not in kept]
    middle = max(len(items) // 2 - len(tensorflow), 0)
    items[:] = [*small[:middle], *tensorflow, *small[middle:], *other]


@pytest.fixture(scope="session")
def unsupported(pytestconfig: pytest.Config) -> Iterator[Unsupported]:
    """The committed table of programs that frameworks do not run."""
    table = Unsupported(pytestconfig.getoption("--update-unsupported"))
    yield table
    table.write()


@pytest.fixture(scope="session", autouse=True)
def _a_server_for_each_compiler() -> Iterator[None]:
    """Keep the fork servers of all compilers, because tests use more compilers in turn than a campaign does.

    Each call sends ``sys.path`` to the process for the user's code. So one server is enough for all PYTHONPATHs.
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


@pytest.fixture
def in_process() -> Iterator[None]:
    """Run compilers that tests have written in this process (see ``support/in_process.py``)."""
    with support_in_process.everything():
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Import what the file of a test has named, before the first fixture."""
    if isinstance(item, pytest.Function):
        libraries.import_all(item.module)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Iterator[None]:
    """Run a test without its name in the environment, because only equal environments share forked workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup() -> Iterator[None]:
    """Set up a fixture without the test's name in the environment, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        return (yield)
