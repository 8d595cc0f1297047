"""One test for each case: both of its programs, compiled, must give their reference results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_case(case: Path, compiler: Any, request: pytest.FixtureRequest) -> None:
    """``conftest.py`` finds the cases, and runs each in a process that the compiler may end."""
    expected = compiler.expected(case.name)
    if expected:
        request.node.add_marker(pytest.mark.xfail(reason=expected, strict=True))
    status, message = compiler.run(case)
    if status == "skipped":
        pytest.skip(message)
    if status == "failed":
        pytest.fail(f"{case.name}, {compiler.name} {compiler.version}\n{message}", pytrace=False)
