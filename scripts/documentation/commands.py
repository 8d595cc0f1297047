"""The reference of the command line, as Markdown, made of the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer

from polyjuice.cli import app


def reference() -> str:
    """A section for each command: what it does, how it is called, and a table of its options."""
    return "\n".join(_sections(typer.main.get_command(app), "polyjuice"))


def _sections(command: Any, name: str) -> Iterator[str]:
    commands = getattr(command, "commands", {})
    if not commands:
        yield from _section(command, name)
    for child, inner in commands.items():
        if not inner.hidden:
            yield from _sections(inner, f"{name} {child}")


def _section(command: Any, name: str) -> Iterator[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option"]
    signature = inspect.signature(command.callback, eval_str=True)
    types = {name: _plain(parameter.annotation) for name, parameter in signature.parameters.items()}
    yield f"## {name}\n"
    yield f"{' '.join((command.help or '').split())}\n"
    usage = " ".join([name, *("[OPTIONS]" for _ in options[:1]), *map(_argument, arguments)])
    yield f"```text\n{usage}\n```\n"
    if arguments:
        yield "| argument | what it is |\n|---|---|"
        yield from (f"| {_code(_argument(p).strip('[]'))} | {_cell(p.help)} |" for p in arguments)
        yield ""
    for panel in dict.fromkeys(p.rich_help_panel for p in options):
        yield f"| {panel or 'option'} | what it does | default |\n|---|---|---|"
        chosen = (p for p in options if p.rich_help_panel == panel)
        yield from (f"| {_flags(p, types[p.name])} | {_cell(p.help)} | {_default(p)} |" for p in chosen)
        yield ""


def _plain(annotation: Any) -> Any:
    """An annotation without what Typer adds to it."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _argument(parameter: Any) -> str:
    shown = (parameter.metavar or parameter.name).strip("{}[]").upper() + ("..." if parameter.nargs == -1 else "")
    return shown if parameter.required else f"[{shown}]"


def _flags(option: Any, annotation: Any) -> str:
    """The option's names, and what it takes."""
    names = " ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if option.is_flag:
        return names
    inside = [one for one in get_args(annotation) if one is not type(None)]
    kind = (get_args(inside[0]) or inside)[0] if inside else annotation
    takes = "|".join(map(str, kind)) if issubclass(kind, Enum) else _KINDS[kind]
    return f"{names} {_code(option.metavar or takes)}"


_KINDS = {int: "N", float: "NUMBER", Path: "PATH", str: "TEXT"}
"""The text that stands for a value of each type."""


def _default(option: Any) -> str:
    """The option's default, as its help shows it; "" where it shows none."""
    if isinstance(option.show_default, str):
        return _cell(option.show_default)
    default = option.default
    return "" if option.is_flag or default is None or default == "" else _code(str(default))


def _code(text: str) -> str:
    """A text as code in a table. MkDocs takes no bar in code for the end of a cell, and shows a backslash before it."""
    return f"`{' '.join(text.split())}`"


def _cell(text: str | None) -> str:
    """A text that may stand in a table."""
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "&lt;")
