"""Count the bugs of our list by compiler, component and kind (PolyJuice, section 6.1, Table 3).

python -m benchmarks.evaluation.bugs
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts import bug_list

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "evaluation"


EFFECTS = {
    "silently wrong": ("wrong", "lost update"),
    "does not load or compile": ("does not load", "does not compile", "input not found"),
    "does not run": ("does not run", "fails to run"),
    "process dies": ("process dies",),
}
"""What a bug does, by how its kind begins in the list."""


def main() -> None:
    """Write the tables."""
    text = tables(bug_list.read())
    (RESULTS / "bugs.md").write_text(text, encoding="utf-8")
    print(text)


def tables(bugs: bug_list.BugList) -> str:
    """Return the tables in Markdown."""
    distinct = [bug for bug in bugs.bugs if not bug.duplicate_of]
    by_component = Counter((bug.compiler, bug.component) for bug in distinct)
    by_effect = Counter((bug.compiler, effect(bug.kind)) for bug in distinct)
    stored = [json.loads(path.read_text("utf-8")) for path in sorted(bug_list.FOLDER.glob("*/finding/finding.json"))]
    pairs = sum(finding["oracle"] == "metamorphic" for finding in stored)
    lines = [
        "# The bugs of our list",
        "",
        "Written by `benchmarks/evaluation/bugs.py` from `artifacts/bugs/status.toml`.",
        "Bugs with the same cause count once.",
        "",
        *table("component", bug_list.COMPONENTS, by_component),
        *table("effect", tuple(EFFECTS), by_effect),
        f"The list does not say which rules a bug needs. Of the {len(stored)} findings that are stored with it,",
        f"{pairs} need two equal programs. All others show on one program, without any rule.",
    ]
    return "\n".join(lines) + "\n"


def effect(kind: str) -> str:
    """Return what a bug of a kind does. Raises StopIteration for an unknown kind."""
    return next(name for name, beginnings in EFFECTS.items() if kind.startswith(beginnings))


def table(title: str, columns: Sequence[str], counts: Mapping[tuple[str, str], int]) -> Sequence[str]:
    """Return a table of counts by compiler and column."""
    lines = [f"## By {title}", "", f"| compiler | {' | '.join(columns)} | all |", f"|{'---|' * (len(columns) + 2)}"]
    for compiler in [name for name in bug_list.NAMES if any(name == one for one, _ in counts)]:
        cells = [counts.get((compiler, column), 0) for column in columns]
        lines.append(f"| {bug_list.NAMES[compiler]} | {' | '.join(map(str, cells))} | {sum(cells)} |")
    return [*lines, ""]


if __name__ == "__main__":
    main()
