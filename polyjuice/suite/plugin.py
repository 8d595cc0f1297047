"""The pytest plugin: ``def test_my_model(polyjuice): polyjuice.check(model, inputs)``.

Nothing of Polyjuice is imported before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from polyjuice.suite.checking import Checked, Checker


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option for the folder of findings."""
    group = parser.getgroup("polyjuice")
    group.addoption(
        "--polyjuice-findings",
        type=Path,
        default=None,
        help="The folder for findings of the fixture polyjuice (default: polyjuice-findings in the root directory).",
    )


class Polyjuice:
    """The value of the fixture ``polyjuice``, which checks models as a test."""

    def __init__(self, findings: Path, checkers: dict[tuple[Any, ...], Checker]) -> None:
        self._findings = findings
        self._checkers = checkers

    def check(
        self, model: Any, inputs: Any, *, compiler: str = "", variants: int = 8, **options: Any
    ) -> Checked | None:
        """Fail the test where the compiler is wrong about a model, and skip it where there is nothing to compare.

        The other options are ``python`` (the interpreter that has the compiler), ``timeout_s`` (of a compilation, and
        of a run), ``seed`` and ``rules``: see :meth:`polyjuice.suite.checking.Checker.check`.
        """
        from polyjuice.compilers import EnvironmentProblem
        from polyjuice.frameworks.errors import FormatError
        from polyjuice.suite.cases import SuiteError
        from polyjuice.suite.checking import Checker, Miscompiled, NotChecked

        where = {name: options.pop(name) for name in ("python", "timeout_s") if name in options}
        key = (compiler, *sorted(where.items()))
        if key not in self._checkers:
            self._checkers[key] = Checker(compiler, **where)
        try:
            return self._checkers[key].check(model, inputs, variants=variants, findings=self._findings, **options)
        except NotChecked as reason:
            pytest.skip(str(reason))
        except (Miscompiled, SuiteError, FormatError, EnvironmentProblem) as problem:
            pytest.fail(str(problem), pytrace=False)


@pytest.fixture(scope="session")
def _polyjuice_checkers() -> Iterator[dict[tuple[Any, ...], Checker]]:
    """The checkers by their options, so that a compiler's process starts only once a session."""
    checkers: dict[tuple[Any, ...], Checker] = {}
    yield checkers
    for checker in checkers.values():
        checker.close()


@pytest.fixture
def polyjuice(request: pytest.FixtureRequest, _polyjuice_checkers: dict[tuple[Any, ...], Checker]) -> Polyjuice:
    """Checks that a compiler is right about a model: ``polyjuice.check(model, inputs)``."""
    findings = request.config.getoption("--polyjuice-findings") or request.config.rootpath / "polyjuice-findings"
    return Polyjuice(findings / request.node.name.replace("/", "-"), _polyjuice_checkers)
