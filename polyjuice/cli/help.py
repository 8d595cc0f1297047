"""The looks of the help, and the message for a command line that Typer cannot parse."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

FIND, WORK, MODELS, INSTALLATION = (
    "Find bugs",
    "Work on findings",
    "Models, graphs and rules",
    "This installation",
)
"""The panels of `polyjuice --help`."""

_ALL = "polyjuice.help.all"


class ShortHelp(TyperCommand):
    """A command whose ``--help`` leaves out the options that stand in panels of their own; ``--help-all`` has them."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            panel = getattr(parameter, "rich_help_panel", None)
            parameter.hidden = panel is not None and not ctx.meta.get(_ALL)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


def _show_all(context: typer.Context, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.meta[_ALL] = True
        if text := context.get_help():  # without Rich; with it, the help is printed by now
            typer.echo(text)
        raise typer.Exit


def reflow(command: Any) -> None:
    """Let the paragraphs of a command's help, and of the commands in it, fill their lines: docstrings break them."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    for inner in getattr(command, "commands", {}).values():
        reflow(inner)


HelpAllOption = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_show_all, help="Show all options and exit.")
]


def examples(*pairs: tuple[str, str]) -> str:
    """The end of a help text: commands, and what each is for."""
    width = max(len(command) for command, _ in pairs)
    lines = [f"  {command:{width}}  {purpose}".rstrip() for command, purpose in pairs]
    return "\n".join(["", "Examples:", *lines])


def misused(problem: Any) -> str:
    """The mistake in a command line, by the exception that Typer raised, and where the help is.

    Nothing where a group of commands stands alone: this prints its help.
    """
    if type(problem).__name__ == "NoArgsIsHelpError":
        if text := problem.format_message():  # without Rich; with it, the help is printed by now
            typer.echo(text, err=True)
        return ""
    message, context = problem.format_message().replace("Value error, ", "").rstrip("."), problem.ctx
    parameter = getattr(problem, "param", None)
    source = context.get_parameter_source(parameter.name) if context and parameter else None
    if source and source.name == "DEFAULT_MAP":
        return f"{context.find_root().obj.file}: {message}"
    return f"{message} (see {context.command_path} --help)" if context else message
