"""Runs this suite in a compiler: `pytest DIR --compiler NAME`. It needs pytest, NumPy and the compiler's framework."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
HARNESS = HERE / "harness"
COMPILERS = sorted(path.stem for path in (HARNESS / "compilers").glob("[!_]*.py"))
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
def driver() -> ModuleType:
    """The file ``driver.py``, loaded by its path, so that its name hides none of the project's."""
    spec = importlib.util.spec_from_file_location("_suite_driver", HARNESS / "driver.py")
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def compiler(driver: ModuleType, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The compiler for all cases, in a process of its own."""
    name = request.config.getoption("--compiler")
    if name not in COMPILERS:
        problem = f"no compiler is called {name!r}" if name else "which compiler?"
        pytest.exit(f"{problem}: --compiler is one of {', '.join(COMPILERS)}", returncode=USAGE_ERROR)
    limits = request.config.getoption("--start-timeout"), request.config.getoption("--case-timeout")
    compiler = driver.Compiler(HARNESS / "compilers" / f"{name}.py", HARNESS, *limits)
    try:
        compiler.start()
    except driver.Unusable as problem:
        pytest.exit(str(problem), returncode=USAGE_ERROR)
    yield compiler
    compiler.close()


@pytest.fixture(scope="session")
def expected(driver: ModuleType, compiler: Any) -> Any:
    """A function that returns why a case is expected to fail, or ""."""
    try:
        entries = driver.expectations(HERE / "xfail.toml")
    except driver.ExpectationError as mistake:
        pytest.exit(str(mistake), returncode=USAGE_ERROR)
    return lambda case: driver.reason(entries, case, compiler.name, compiler.version)
