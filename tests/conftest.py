"""What tests share: the table of what frameworks do not run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.unsupported import FILE, Unsupported


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
