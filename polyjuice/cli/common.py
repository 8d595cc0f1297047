"""Shared by commands: consoles, exit statuses, options, the layout of the help, and errors for mistakes in options."""

from __future__ import annotations

import inspect
import os
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
from rich.table import Table
from typer.core import TyperCommand

from polyjuice.wording import visible

OK, FINDINGS, USAGE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses."""


class Terminal(Console):
    """A console on which texts cannot steer the terminal: their control characters are shown as escapes.

    Where it is no terminal, a table has a line for each row, without spaces at the end.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments of a renderable."""
        plain = isinstance(renderable, Table) and not self.is_terminal
        if plain:
            options = (options or self.options).update(width=_UNLIMITED)
        segments = super().render(renderable, options)
        for segment in map(_stripped, Segment.split_lines(segments)) if plain else segments:
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def _stripped(line: Sequence[Segment]) -> Segment:
    return Segment("".join(segment.text for segment in line).rstrip() + "\n")


_UNLIMITED = 100_000
"""A width, in characters, at which no table wraps."""

# Without a terminal, a line stays whole. A path may hold :train:, and no number in a name gets a colour.
stderr = Terminal(stderr=True, soft_wrap=not sys.stderr.isatty(), emoji=False, highlight=False)
stdout = Terminal(soft_wrap=not sys.stdout.isatty(), emoji=False, highlight=False)

FindingArgument = Annotated[Path, typer.Argument(metavar="FINDING_DIR", help="A finding's folder.")]
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

    _FIRST_S, _EVERY_S = 5.0, 15.0

    def __init__(self, *columns: ProgressColumn) -> None:
        self.bar = Progress(*columns, TimeElapsedColumn(), console=stderr, disable=not stderr.is_terminal)
        self.began = time.monotonic()
        self._last = self.began + self._FIRST_S - self._EVERY_S

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


FIND, WORK, MODELS, INSTALLATION = (
    "Find bugs",
    "Work on findings",
    "Models, graphs and rules",
    "This installation",
)
"""The panels of `polyjuice --help`."""

_ALL = "polyjuice.help.all"


class ShortHelp(TyperCommand):
    """A command whose ``--help`` omits the options in panels of their own; ``--help-all`` shows them."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, without the omitted options."""
        for parameter in self.params:
            panel = getattr(parameter, "rich_help_panel", None)
            parameter.hidden = panel is not None and not ctx.meta.get(_ALL)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


def _show_all(context: typer.Context, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.meta[_ALL] = True
        if text := context.get_help():  # only without Rich: with it, the help is already printed
            typer.echo(text)
        raise typer.Exit


def reflow(command: Any) -> None:
    """Join the lines of each paragraph in the help of a command and its subcommands: docstrings break them."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for inner in getattr(command, "commands", {}).values():
        reflow(inner)


HelpAllOption = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show all options and exit.")
]


def examples(*pairs: tuple[str, str]) -> str:
    """The end of a help text: commands and their purposes."""
    return "\n".join(["", "Examples:", *aligned(pairs)])


def aligned(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Commands and their purposes, a line each."""
    width = max(len(command) for command, _ in pairs)
    return [f"  {command:{width}}  {purpose}".rstrip() for command, purpose in pairs]


def misused(problem: Any) -> str:
    """The mistake in a command line, from Typer's exception, with the command for help.

    "" for a group of commands without one: this prints the group's help.
    """
    if type(problem).__name__ == "NoArgsIsHelpError":
        if text := problem.format_message():  # only without Rich: with it, the help is already printed
            typer.echo(text, err=True)
        return ""
    message, context = problem.format_message().replace("Value error, ", "").rstrip("."), problem.ctx
    parameter = getattr(problem, "param", None)
    source = context.get_parameter_source(parameter.name) if context and parameter else None
    if source and source.name == "DEFAULT_MAP":
        return f"{context.find_root().obj.file}: {message}"
    return f"{message} (see {context.command_path} --help)" if context else message
