"""The pages about bugs: a short table in place of the long ones, and a page for each bug."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scripts import bug_list
from scripts.bug_list import Bug

_TABLE = re.compile(r"<!-- table: (open|mended) -->.*?<!-- end: \1 -->", re.DOTALL)
_HEADING = re.compile(r"^(#+ )", re.MULTILINE)
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def with_short_tables(markdown: str) -> str:
    """The text of the list, with a short line for each bug, which leads to the bug's page."""
    listed = bug_list.read()

    def table(match: re.Match[str]) -> str:
        chosen = [bug for bug in listed.bugs if listed.is_mended(bug) == (match[1] == "mended")]
        lines = (f"| [{bug.number}]({bug.number}.md) | {_name(bug)} | {bug.title} | {bug.kind} |" for bug in chosen)
        return "\n".join(["| number | compiler | bug | kind |", "|---|---|---|---|", *lines])

    return _TABLE.sub(table, markdown)


def pages() -> Iterator[tuple[str, str]]:
    """The number and the page of each bug."""
    for bug in bug_list.read().bugs:
        yield bug.number, "\n".join(_page(bug))


def _name(bug: Bug) -> str:
    return bug_list.NAMES[bug.compiler] + (f", `{bug.setting}`" if bug.setting else "")


def _page(bug: Bug) -> Iterator[str]:
    yield f"# Bug {bug.number}: {bug.title}\n"
    yield f"**{_name(bug)}, {bug.kind}.** {bug.what[:1].upper()}{bug.what[1:]}.\n"
    cells = dict(zip(bug_list.HEAD, bug_list.cells(bug, "no report is known"), strict=True))
    yield "| in the list | |\n|---|---|"
    yield from (f"| {name} | {cells[name]} |" for name in bug_list.HEAD[4:] if cells[name])
    yield "\n[All bugs](index.md), and what the columns of the list say.\n"
    yield "## A program that shows it\n"
    yield f"`artifacts/bugs/{bug.folder.name}/repro.py` exits with status 1 where the bug shows.\n"
    yield f"```python\n{(bug.folder / 'repro.py').read_text(encoding='utf-8').rstrip()}\n```\n"
    yield "## The report\n"
    yield _deeper((bug.folder / "report.md").read_text(encoding="utf-8"))


def _deeper(markdown: str) -> str:
    """A text with its headings two levels further down."""
    parts = _FENCED.split(markdown)
    return "".join(part if part.startswith("```") else _HEADING.sub(r"##\1", part) for part in parts)
