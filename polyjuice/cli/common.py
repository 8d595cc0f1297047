"""Shared by commands: consoles, exit statuses, options, and errors for mistakes in options."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn, Self

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import Progress, ProgressColumn, TaskID, TimeElapsedColumn
from rich.segment import Segment

from polyjuice.cli import complete
from polyjuice.visible import visible

OK, FINDINGS, USAGE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses."""


class Terminal(Console):
    """A console on which texts cannot steer the terminal: their control characters are shown as escapes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments of a renderable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


stderr = Terminal(stderr=True, soft_wrap=True, emoji=False)  # a path may hold :train:
stdout = Terminal(soft_wrap=True, width=None if sys.stdout.isatty() else 240, emoji=False)

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
RulesOption = Annotated[
    list[Path] | None,
    typer.Option("--rules", metavar="PATH", help="Rules of your own: a file or a folder (repeatable)."),
]
OnlyRuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only-rule", metavar="GLOB", help="Use only matching rules (repeatable).", autocompletion=complete.rules
    ),
]
OnlyOperatorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only-operator",
        metavar="GLOB",
        help="Generate graphs of matching operators only (repeatable).",
        autocompletion=complete.operators,
    ),
]
WithoutRuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--without-rule", metavar="GLOB", help="Leave out matching rules (repeatable).", autocompletion=complete.rules
    ),
]
PythonOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH", help="The Python interpreter that has the compiler.", show_default="the finding's own"
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="The seed of all random choices.")]


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Usage(ValueError):
    """A mistake in the options."""


def own_fault(message: str) -> NoReturn:
    """Print a fault of Polyjuice itself, and exit."""
    stderr.print(f"polyjuice: {escape(message)}")
    sys.exit(DEFECT)


def chosen(text: str, known: Sequence[str], option: str) -> tuple[str, ...]:
    """The names in a list with commas, without duplicates. Raises Usage for an unknown name, or for none."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise Usage(f"{option} {text}: choose from {', '.join(known)}")
    return names


def seconds(text: str, option: str = "--time", *, zero: bool = False) -> float:
    """A duration such as 90s, 10m or 8h; 0s only where ``zero`` is allowed. Raises Usage."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if not match:
        raise Usage(f"{option} {text}: give a number and a unit, as in 90s, 10m or 8h")
    if float(match[1]) == 0 and not zero:
        raise Usage(f"{option} {text}: give a time above zero, as in 90s, 10m or 8h")
    return float(match[1]) * _UNITS[match[2]]


def interpreter(python: Path | None) -> Path:
    """The interpreter's absolute path; symbolic links stay, because a virtual environment's python is one."""
    return Path(sys.executable) if python is None else Path(os.path.abspath(python))


class Live:
    """Shows progress while its ``with`` block runs."""

    _EVERY_S = 15.0

    def __init__(self, *columns: ProgressColumn) -> None:
        self.bar = Progress(*columns, TimeElapsedColumn(), console=stderr, disable=not stderr.is_terminal)
        self.began = self._last = time.monotonic()

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def tell(self, task: TaskID, line: str, **fields: Any) -> None:
        """Update the bar with ``fields`` (see `rich.progress.Progress.update`); without a terminal, print ``line``."""
        self.bar.update(task, **fields)
        now = time.monotonic()
        if not stderr.is_terminal and now - self._last > self._EVERY_S:
            self._last = now
            stderr.print(f"{now - self.began:6.0f} s  {line}")
