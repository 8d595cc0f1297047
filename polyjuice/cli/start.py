"""``polyjuice`` alone: what is installed, and what to do next."""

from __future__ import annotations

import importlib.metadata
from typing import Annotated

import typer
from rich.markup import escape

from polyjuice import compilers
from polyjuice.cli.common import USAGE, stdout

CONTROLS = ("eager", "numpy")
"""Compilers that compile nothing, and so must find nothing."""

_FIRST = "onnxruntime"
"""The compiler that a newcomer installs most quickly."""


def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Say what to do next where no command is given, with status 2."""
    if version:
        typer.echo(f"polyjuice {importlib.metadata.version('polyjuice-fuzzer')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        stdout.print(escape("\n".join(_next_steps())), highlight=False)
        raise typer.Exit(USAGE)


def installed() -> list[str]:
    """The compilers whose frameworks are found here, without the controls; nothing is imported."""
    return [name for name in compilers.names() if name not in CONTROLS and compilers.is_installed(name)]


def _next_steps() -> list[str]:
    """What stands on the screen, line by line."""
    found = installed()
    if found:
        here = f"Installed here: {', '.join(found)}."
        first = f"polyjuice fuzz --compiler {found[0]} --time 2m", "finds bugs for two minutes"
    else:
        here = "No compiler is installed here."
        first = f"pip install 'polyjuice-fuzzer[{_FIRST}]'", "installs a compiler to begin with"
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
        "What to do next:",
        *(f"  {command:{width}}  {purpose}" for command, purpose in steps),
    ]
