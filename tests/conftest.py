"""What holds for all tests: their environment, and the operator table against the frameworks, printed at the end."""

from __future__ import annotations

import signal
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in whatever a shell begins with `&`; processes inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

FRAMEWORK_TABLE: dict[tuple[str, str, str], str] = {}
"""(operator, framework, element type) to "" where it runs and means the same, else the reason why it cannot run."""

_REASON_LENGTH = 150


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Keep on one process what shares a fixture of its module, so that the fixture is set up once."""
    for item in items:
        fixtures = item._fixtureinfo.name2fixturedefs.values()
        if any(fixture.scope == "module" for overridden in fixtures for fixture in overridden):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


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


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print operator x framework x element type; what has no entry is a hole, whose reason follows the table."""
    if not FRAMEWORK_TABLE:
        return
    write = terminalreporter.write_line
    frameworks = list(dict.fromkeys(framework for _, framework, _ in FRAMEWORK_TABLE))
    rows: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    holes: dict[str, list[str]] = defaultdict(list)
    for (name, framework, dtype), reason in FRAMEWORK_TABLE.items():
        if reason:
            holes[reason[:_REASON_LENGTH]].append(f"{name} {framework} {dtype}")
        else:
            rows[name][framework].append(dtype)
        rows[name].setdefault(framework, [])
    terminalreporter.section("operators x frameworks x element types")
    for name, columns in rows.items():
        for framework in frameworks:
            if framework in columns:
                write(f"{name:24} {framework:11} {' '.join(columns[framework]) or '-'}")
    terminalreporter.section(f"holes: {sum(map(len, holes.values()))} of {len(FRAMEWORK_TABLE)}, and their reasons")
    for reason, where in sorted(holes.items()):
        write(f"{reason}\n    {'; '.join(where)}")
