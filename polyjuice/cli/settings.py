"""``polyjuice.toml``: the options that a team repeats, with the paths of its compilers' interpreters.

    compiler = "NAME"
    time = "1h"
    rules = ["rules/ours.egg"]

    [python]
    NAME = "/opt/nightly/bin/python"

A key is the name of an option of ``polyjuice fuzz``. Other commands that have the same option take it, too. An option
on the command line wins. Paths are relative to the file.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice import compilers, oracles
from polyjuice.cli import read_options
from polyjuice.cli.common import JsonOption, Usage, chosen, interpreter, seconds, stdout
from polyjuice.inputs import PROFILES
from polyjuice.triage import known_list

FILE = "polyjuice.toml"

NONE = "none"
"""Instead of a file: no settings."""

PYTHON = "python"
"""The table of interpreters, by compiler."""

_NOT_SET = frozenset({"resume", "out", "json", "help-all", "plain", "disruptive", "help", PYTHON})
"""Options of fuzz that belong to a single campaign."""

_LISTS = frozenset({"oracle", "profile"})
"""Options whose value is a list with commas."""

_PATHS = frozenset({"rules", "known"})

_SHARED: Mapping[tuple[str, ...], Set[str]] = {
    ("suite", "run"): {"compiler", "workers", "timeout"},
    ("suite", "build"): {"rules", "workers"},
    ("rules", "list"): {"rules"},
    ("rules", "show"): {"rules"},
    ("rules", "check"): {"rules", "workers"},
    ("rewrite",): {"rules", *read_options.KEYS},
    ("metrics",): read_options.KEYS,
    ("replay",): read_options.KEYS,
    ("reduce",): {"rules", *read_options.KEYS},
    ("bisect",): read_options.KEYS,
    ("suite", "add"): read_options.KEYS,
}
"""The options of other commands that mean the same as those of fuzz."""


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


def of(context: typer.Context) -> Settings:
    """The settings of a command."""
    return context.find_object(Settings) or Settings()


def options(fuzz: Any) -> dict[str, Any]:
    """The options of fuzz that the file can set, by key."""
    named = {parameter.opts[0].lstrip("-"): parameter for parameter in fuzz.params}
    return {name: parameter for name, parameter in named.items() if name not in _NOT_SET}


def find(folder: Path) -> Path | None:
    """The settings file of a folder, or of the nearest folder above that has one."""
    return next((path for above in (folder, *folder.parents) if (path := above / FILE).is_file()), None)


def read(path: Path, keys: Mapping[str, Any]) -> Settings:
    """The settings in a file, each one of ``keys`` (see `options`). Raises Usage, which names the file and the key."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Usage(f"{path}: there is no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Usage(f"{path} is not TOML: {error}") from None
    interpreters = _interpreters(path, content.pop(PYTHON, {}))
    if unknown := [key for key in content if key not in keys]:
        raise Usage(f"{path}: no setting has the name {unknown[0]}; {_meant(unknown[0], [*keys, PYTHON])}")
    values = {key: _value(path, key, value, keys[key].multiple) for key, value in content.items()}
    return Settings(path, values, interpreters)


def defaults(root: Any, settings: Settings) -> dict[str, Any]:
    """Click's ``default_map`` of the whole command line: the parameter values of each command."""
    keys = options(root.commands["fuzz"])
    found: dict[str, Any] = {"fuzz": {keys[key].name: value for key, value in settings.values.items()}}
    for path, takes in _SHARED.items():
        command, into = root, found
        for name in path:
            command, into = command.commands[name], into.setdefault(name, {})
        for parameter in command.params:
            key = parameter.opts[0].lstrip("-")
            if key in takes and key in settings.values:
                into[parameter.name] = settings.values[key]
    return found


def _meant(name: str, names: Sequence[str]) -> str:
    close = get_close_matches(name, names, n=1, cutoff=0.7)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(names))}"


def _interpreters(path: Path, table: Any) -> dict[str, str]:
    """The table of interpreters. Raises Usage."""
    names = compilers.names()
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        example = f'{names[0]} = "/opt/bin/python"'
        raise Usage(f"{path}: {PYTHON} must be a table: [{PYTHON}], then a line such as {example}")
    if unknown := [name for name in table if name not in names]:
        raise Usage(f"{path}: [{PYTHON}] {unknown[0]}: no compiler has this name; {_meant(unknown[0], names)}")
    return {name: _absolute(path, value) for name, value in table.items()}


def _absolute(path: Path, value: str) -> str:
    """The absolute form of a path in a file; symbolic links stay."""
    return os.path.abspath(path.parent / Path(value).expanduser())


def _value(path: Path, key: str, value: Any, repeatable: bool) -> Any:
    """A setting in the command line's form. Raises Usage."""
    several = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not (repeatable or key in _LISTS):
        raise Usage(f"{path}: {key} takes one value, not a list")
    if any(isinstance(one, list | dict | bool) for one in several):
        raise Usage(f"{path}: {key} takes a text or a number")
    if key in _PATHS:
        several = [one if one == known_list.NONE and key == "known" else _absolute(path, str(one)) for one in several]
    if key == "seeds":
        several = [_absolute(path, one) if (path.parent / str(one)).is_file() else one for one in several]
    found = several if repeatable else ",".join(several) if key in _LISTS else several[0]
    if check := _CHECKS.get(key):
        check(str(found), f"{path}: {key} =")
    return found


_CHECKS: Mapping[str, Callable[[str, str], object]] = {
    "compiler": lambda text, where: chosen(text, compilers.names(), where),
    "oracle": lambda text, where: chosen(text, oracles.names(), where),
    "profile": lambda text, where: chosen(text, PROFILES, where),
    "time": seconds,
    "triage": lambda text, where: seconds(text, where, zero=True),
}
"""Checks that the command line makes only later, without the file's name."""


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
    found = of(context)
    root: Any = context.find_root().command
    rows = list(_rows(found, options(root.commands["fuzz"])))
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
            yield key, _default(option), "default"
    yield PYTHON, sys.executable, "default"


def _default(option: Any) -> Any:
    """The default of an option: its value, or a text where it depends on other options."""
    if isinstance(option.show_default, str):
        return option.show_default
    return option.default.value if isinstance(option.default, Enum) else option.default


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
