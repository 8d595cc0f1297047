"""The operator table against the frameworks, printed after the tests that filled it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

FRAMEWORK_TABLE: dict[tuple[str, str, str], str] = {}
"""(operator, framework, element type) to "" where it runs and means the same, else the reason why it cannot run."""

_REASON_LENGTH = 150


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
