"""One test for each case: both of its programs, compiled, must give their reference results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_case(case: Path, compiler: Any, expected: Callable[[str], str], request: pytest.FixtureRequest) -> None:
    """``conftest.py`` finds the cases, and runs each in a process that the compiler may end."""
    if reason := expected(case.name):
        request.node.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    status, message = compiler.run(case)
    if status == "skipped":
        pytest.skip(message)
    if status == "failed":
        pytest.fail(f"{case.name}, {compiler.name} {compiler.version}\n{message}", pytrace=False)
