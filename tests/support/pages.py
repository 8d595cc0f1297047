"""The pages that people read, and the commands that they show.

A fenced block's language decides its test. The command line must accept the commands of a ``sh`` block. Tests run the
commands of a ``console`` block, each behind a ``$``, and compare their output with the page. A block with a ``title``
is a file for the commands after it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.commands import ROOT

PAGES = tuple(
    sorted(
        [
            *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "rules/README.md", "tests/README.md")),
            *(path for path in (ROOT / "docs").rglob("*.md") if path.name != "report.md" or path.parent.name == "docs"),
        ]
    )
)
"""All pages but the reports of findings, which the reporter writes."""

_FENCED = re.compile(r"^( *)```(\w*)(.*)\n((?:.*\n)*?)\1```$", re.MULTILINE)
_TITLE = re.compile(r'title="([^"]+)"')
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_INLINE = re.compile(r"`((?:polyjuice|make) [^`]+)`")
_ENDS = {";", "|", "&&", "||", "&"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its title (the name of a file, if any), and its text."""

    language: str
    title: str
    text: str

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The commands of a ``console`` block, each with the output that the page shows."""
        return _COMMAND.findall(self.text) if self.language == "console" else []

    @property
    def lines(self) -> list[str]:
        """The commands of a block, as a user types them."""
        if self.language == "console":
            return [_on_one_line(command) for command, _ in self.shown]
        lines = _on_one_line(self.text).splitlines()
        return [line.strip() for line in lines if line.strip()] if self.language == "sh" else []


def _on_one_line(command: str) -> str:
    return command.replace("\\\n", " ")


def blocks(text: str) -> list[Block]:
    found = []
    for _, language, rest, inside in _FENCED.findall(text):
        title = _TITLE.search(rest)
        found.append(Block(language, title[1] if title else "", inside))
    return found


def outside_of_blocks(text: str) -> str:
    return _FENCED.sub("", text)


def inline(text: str) -> list[str]:
    """The calls of ``polyjuice`` and ``make`` within sentences."""
    return _INLINE.findall(" ".join(outside_of_blocks(text).split()))


def programs(line: str) -> Iterator[Sequence[str]]:
    """The programs that a line of the shell calls, each with its arguments, without comments and redirections."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    call: list[str] = []
    for word in [*words, ";"]:
        if word in _ENDS:
            while call and re.fullmatch(r"\w+=.*", call[0]):
                call = call[1:]
            if call:
                yield [Path(call[0]).name, *_without_redirections(call[1:])]
            call = []
        else:
            call.append(word)


def _without_redirections(words: Sequence[str]) -> list[str]:
    return [word for before, word in zip(["", *words], words, strict=False) if ">" not in (before, word)]


def masked(line: str) -> str:
    """A line without the types, numbers and lists of numbers that the seeds decide. Exit statuses stay."""
    if line.startswith("status "):
        return line
    line = re.sub(r"\b[a-z]+\d+\[[\d, ]*\]", "TYPE", line)
    return " ".join(re.sub(r"\[[-\d., e\[\]]*\]|-?\d[\d.]*(e-?\d+)?", "N", line).split())


def missing(shown: str, output: str) -> list[str]:
    """The shown lines that do not occur in the output in this order. `...` stands for anything within a line."""
    lines = iter([masked(line) for line in output.splitlines()])

    def is_next(line: str) -> bool:
        pattern = ".*".join(map(re.escape, masked(line).split("...")))
        return any(re.fullmatch(pattern, other) for other in lines)

    return [line for line in shown.splitlines() if not is_next(line)]
