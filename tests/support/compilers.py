"""Which compilers can be used here."""

from __future__ import annotations

from functools import cache

import pytest

from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import EnvironmentProblem, Worker


@cache
def _problem(name: str) -> str:
    """Why a compiler cannot be used, or "". A worker says that, whose fork server then serves the workers of tests."""
    try:
        with Worker(find(name)) as worker:
            worker.start()
    except EnvironmentProblem as problem:
        return str(problem)
    return ""


def usable(name: str) -> CompilerInfo:
    """The compiler; the test is skipped where it cannot be used."""
    if problem := _problem(name):
        pytest.skip(problem)
    return find(name)
