"""The layout of the help, and the message for a command line that Typer cannot parse."""

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
    width = max(len(command) for command, _ in pairs)
    lines = [f"  {command:{width}}  {purpose}".rstrip() for command, purpose in pairs]
    return "\n".join(["", "Examples:", *lines])


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
