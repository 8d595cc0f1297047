"""Shared by commands: consoles, exit statuses, options, and errors for mistakes in options."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, NoReturn, Self

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import Progress, ProgressColumn, TaskID, TimeElapsedColumn
from rich.segment import Segment

from polyjuice.wording import visible

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
PythonOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH", help="The Python interpreter that has the compiler.", show_default="the finding's own"
    ),
]


def own_fault(message: str) -> NoReturn:
    """Print a fault of Polyjuice itself, and exit."""
    stderr.print(f"polyjuice: {escape(message)}")
    sys.exit(DEFECT)


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
