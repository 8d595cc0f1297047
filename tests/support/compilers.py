"""The compilers that this machine can run."""

from __future__ import annotations

from functools import cache

import pytest

from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import EnvironmentProblem, Worker


@cache
def _problem(name: str) -> str:
    """The reason why a compiler cannot run, or "". A worker finds out, and its fork server then serves the tests."""
    try:
        with Worker(find(name)) as worker:
            worker.start()
    except EnvironmentProblem as problem:
        return str(problem)
    return ""


def usable(name: str) -> CompilerInfo:
    """The compiler. The test is skipped if the compiler cannot run."""
    if problem := _problem(name):
        pytest.skip(problem)
    return find(name)
