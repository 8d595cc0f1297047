"""``polyjuice.toml``: the options that a team repeats, with the paths of its compilers' interpreters.

    compiler = "NAME"
    time = "1h"
    rules = ["rules/ours.egg"]

    [python]
    NAME = "/opt/nightly/bin/python"

A key is the name of an option of ``polyjuice fuzz``. Other commands that have the same option take it, too. An option
on the command line wins. Paths are relative to the file. ``polyjuice`` alone shows what to do next.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice import compilers
from polyjuice.campaign.config import OPTIONS, Usage
from polyjuice.cli.common import USAGE, JsonOption, aligned, interpreter, stdout
from polyjuice.plugins import installable
from polyjuice.stored_files import this_version
from polyjuice.triage import known_list
from polyjuice.wording import did_you_mean

FILE = "polyjuice.toml"

NONE = "none"
"""Instead of a file: no settings."""

PYTHON = "python"
"""The table of interpreters, by compiler."""

KEYS = {option.key: (name, option) for name, option in OPTIONS.items() if option.in_file}
"""The options that the file can set, each with its field, by key."""


@dataclass(frozen=True)
class Settings:
    """The content of a file: ``values`` by key, in the command line's form; ``interpreters`` by compiler."""

    file: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    interpreters: Mapping[str, str] = field(default_factory=dict)

    @property
    def known(self) -> Path | None:
        """The file of known bugs, if one is set."""
        return Path(self.values["known"]) if "known" in self.values else None

    @property
    def own_known(self) -> Path:
        """The file of known bugs for ``known add``."""
        return self.known if self.known and self.known != Path(known_list.NONE) else Path(known_list.DEFAULT_FILE)

    def python(self, compiler: str, path: Path | None = None) -> str:
        """The path of the interpreter that has a compiler: ``path``, or the one set here, or our own."""
        return str(interpreter(path)) if path else self.interpreters.get(compiler, sys.executable)


def load_settings(context: typer.Context) -> Settings:
    """The settings of a command."""
    return context.find_object(Settings) or Settings()


def find(folder: Path) -> Path | None:
    """The settings file of a folder, or of the nearest folder above that has one."""
    return next((path for above in (folder, *folder.parents) if (path := above / FILE).is_file()), None)


def read(path: Path) -> Settings:
    """The settings in a file. Raises Usage, which names the file and the key."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Usage(f"{path}: there is no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Usage(f"{path} is not TOML: {error}") from None
    interpreters = _interpreters(path, content.pop(PYTHON, {}))
    if unknown := [key for key in content if key not in KEYS]:
        raise Usage(f"{path}: no setting has the name {unknown[0]}{_meant(unknown[0], [*KEYS, PYTHON])}")
    return Settings(path, {key: _value(path, key, value) for key, value in content.items()}, interpreters)


def defaults(root: Any, settings: Settings) -> dict[str, Any]:
    """Click's ``default_map`` of a group of commands: the parameter values of each command.

    Other commands than fuzz take a setting if they have the same option, with the same help.
    """
    found: dict[str, Any] = {}
    for name, command in root.commands.items():
        if hasattr(command, "commands"):
            found[name] = defaults(command, settings)
        else:
            keys = {parameter: parameter.opts[0].lstrip("-") for parameter in command.params}
            found[name] = {
                parameter.name: settings.values[key]
                for parameter, key in keys.items()
                if key in settings.values
                and (name == "fuzz" or (KEYS[key][1].shared and parameter.help == KEYS[key][1].help))
            }
    return found


def _meant(name: str, names: Sequence[str]) -> str:
    return did_you_mean(name, names) or f"; there are {', '.join(sorted(names))}"


def _interpreters(path: Path, table: Any) -> dict[str, str]:
    names = compilers.names()
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        example = f'{names[0]} = "/opt/bin/python"'
        raise Usage(f"{path}: {PYTHON} must be a table: [{PYTHON}], then a line such as {example}")
    if unknown := [name for name in table if name not in names]:
        raise Usage(f"{path}: [{PYTHON}] {unknown[0]}: no compiler has this name{_meant(unknown[0], names)}")
    return {name: _absolute(path, value) for name, value in table.items()}


def _absolute(path: Path, value: str) -> str:
    return os.path.abspath(path.parent / Path(value).expanduser())


def _value(path: Path, key: str, value: Any) -> Any:
    option = KEYS[key][1]
    several = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not (option.repeatable or option.listed):
        raise Usage(f"{path}: {key} takes one value, not a list")
    if any(isinstance(one, list | dict | bool) for one in several):
        raise Usage(f"{path}: {key} takes a text or a number")
    if option.paths:
        several = [_path(path, one, option.paths == "always") for one in several]
    found = several if option.repeatable else ",".join(several) if option.listed else several[0]
    if option.takes is str and not option.choices:
        option.read(str(found), f"{path}: {key} =")  # the command line does so later, without the file's name
    return found


def _path(path: Path, value: Any, always: bool) -> Any:
    is_path = value != known_list.NONE if always else (path.parent / str(value)).is_file()
    return _absolute(path, str(value)) if is_path else value


app = typer.Typer(help=f"Show the options that {FILE} sets.", no_args_is_help=True)


@app.callback()
def config() -> None:
    """A group, though it has one command so far."""


@app.command("show")
def show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show every option of polyjuice fuzz that can be set, its value, and where that comes from.

    polyjuice.toml is looked for in the current folder and in those above it. Its keys are names of options; its table
    python has the interpreters of compilers. Options on the command line win.
    """
    found = load_settings(context)
    rows = list(_rows(found))
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


def _rows(found: Settings) -> Iterator[tuple[str, Any, str]]:
    for key, value in found.values.items():
        yield key, value, str(found.file)
    for compiler, python in found.interpreters.items():
        yield f"{PYTHON}.{compiler}", python, str(found.file)
    for key, (_, option) in KEYS.items():
        if key not in found.values:
            yield key, option.shown or option.given, "default"
    yield PYTHON, sys.executable, "default"


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


_FIRST = "onnx"
"""The format whose compiler takes the least time to install."""


def start(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar=f"FILE|{NONE}",
            help="The file that sets options.",
            show_default=f"{FILE} here or in a folder above",
        ),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Read the settings, for all commands; say what to do next where no command is given, with status 2."""
    if version:
        typer.echo(f"polyjuice {this_version()}")
        raise typer.Exit
    path = find(Path.cwd()) if config is None else None if config == Path(NONE) else config
    root: Any = context.command
    if path:
        context.obj = read(path)
        context.default_map = defaults(root, context.obj)
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
        first = (
            installable(f"pip install 'polyjuice-fuzzer[{compilers.default(_FIRST).name}]'"),
            "installs a compiler to begin with",
        )
    steps = [
        first,
        ("polyjuice doctor", "says what is wrong with the installation"),
        ("polyjuice --help", "shows all commands"),
    ]
    return [
        "Polyjuice finds mis-compilation bugs in tensor compilers.",
        here,
        "",
        "Next:",
        *aligned(steps),
    ]
