"""``polyjuice config``: show the settings of ``polyjuice.toml``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice.cli import settings
from polyjuice.cli.common import JsonOption, stdout
from polyjuice.cli.settings import FILE, PYTHON, Settings

app = typer.Typer(help=f"Show the options that {FILE} sets.", no_args_is_help=True)

_DEFAULT = "default"


@app.callback()
def config() -> None:
    """A group, though it has one command so far."""


@app.command("show")
def show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show every option of polyjuice fuzz that can be set, its value, and where that comes from.

    polyjuice.toml is looked for in the current folder and in those above it. Its keys are names of options; its table
    python has the interpreters of compilers. Options on the command line win.
    """
    found = settings.of(context)
    root: Any = context.find_root().command
    rows = list(_rows(found, settings.options(root.commands["fuzz"])))
    if as_json:
        entries = [{"key": key, "value": value, "from": source} for key, value, source in rows]
        print(json.dumps({"file": str(found.file) if found.file else None, "config": entries}))
        return
    table = Table("setting", "value", "from", box=None)
    for key, value, source in rows:
        table.add_row(key, escape(_shown(value)), escape(source))
    stdout.print(table, highlight=False)
    if not found.file:
        stdout.print(escape(f"\nNo {FILE} is in {Path.cwd()} or above it."), highlight=False)


def _rows(found: Settings, options: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Each setting with its value and its source; first those of the file."""
    for key, value in found.values.items():
        yield key, value, str(found.file)
    for compiler, python in found.interpreters.items():
        yield f"{PYTHON}.{compiler}", python, str(found.file)
    for key, option in options.items():
        if key not in found.values:
            yield key, _default(option), _DEFAULT
    yield PYTHON, sys.executable, _DEFAULT


def _default(option: Any) -> Any:
    """The default of an option: its value, or a text where it depends on other options."""
    if isinstance(option.show_default, str):
        return option.show_default
    return option.default.value if isinstance(option.default, Enum) else option.default


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
