"""``polyjuice`` alone: show what is installed, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from polyjuice import compilers
from polyjuice.cli import settings
from polyjuice.cli.common import USAGE, stdout
from polyjuice.cli.settings import Settings, load_settings
from polyjuice.stored_files import this_version

_FIRST = "onnx"
"""The format whose compiler takes the least time to install."""


def start(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar=f"FILE|{settings.NONE}",
            help="The file that sets options.",
            show_default=f"{settings.FILE} here or in a folder above",
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Read the settings, for all commands; say what to do next where no command is given, with status 2."""
    if version:
        typer.echo(f"polyjuice {this_version()}")
        raise typer.Exit
    path = settings.find(Path.cwd()) if config is None else None if config == Path(settings.NONE) else config
    root: Any = context.command
    if path:
        context.obj = settings.read(path)
        context.default_map = settings.defaults(root, context.obj)
    if context.invoked_subcommand is None:
        stdout.print(escape("\n".join(_next_steps(load_settings(context)))), highlight=False)
        raise typer.Exit(USAGE)


def installed(set_here: Settings) -> list[str]:
    """The compilers whose frameworks are found here, or that have an interpreter in the settings."""
    return [name for name in compilers.names() if name in set_here.interpreters or compilers.is_installed(name)]


def _next_steps(set_here: Settings) -> list[str]:
    found = [name for name in installed(set_here) if not compilers.find(name).control]
    if found:
        here = f"Installed here: {', '.join(found)}."
        first = f"polyjuice fuzz --compiler {found[0]} --time 2m", "finds bugs for two minutes"
    else:
        here = "No compiler is installed here."
        first = f"pip install 'polyjuice-fuzzer[{compilers.default(_FIRST).name}]'", "installs a compiler to begin with"
    steps = [
        first,
        ("polyjuice doctor", "says what is wrong with the installation"),
        ("polyjuice --help", "shows all commands"),
    ]
    width = max(len(command) for command, _ in steps)
    return [
        "Polyjuice finds mis-compilation bugs in tensor compilers.",
        here,
        "",
        "Next:",
        *(f"  {command:{width}}  {purpose}" for command, purpose in steps),
    ]
