"""The options of the table in :mod:`polyjuice.campaign.config` as options of commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from polyjuice.campaign.config import OPTIONS, limits
from polyjuice.frameworks.limits import ReadLimits, reading_within


def flag(name: str, panel: str | None = None) -> Any:
    """The option of a field as an annotation, for any command that has it."""
    one = OPTIONS[name]
    return typer.Option(
        one.flag,
        metavar=one.metavar,
        help=one.help,
        show_default=one.shown or True,
        rich_help_panel=panel,
        min=one.least,
        max=one.most,
        autocompletion=completes(name) if one.complete else None,
    )


def completes(name: str) -> Callable[[str], list[str]]:
    """Shell completion by the names of a field's option."""
    one = OPTIONS[name]
    assert one.complete
    return completion(one.complete, listed=one.listed)


def completion(names: Callable[[], Iterable[str]], *, listed: bool = False) -> Callable[[str], list[str]]:
    """Shell completion by names; of a list with commas, by each name that is not in it."""

    def complete(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",") if listed else ("", "", incomplete)
        fit = [name for name in names() if name.startswith(begun) and name not in before.split(",")]
        return [f"{before}{comma}{name}" for name in fit]

    return complete


RulesOption = Annotated[list[Path] | None, flag("rules")]
OnlyRuleOption = Annotated[list[str] | None, flag("only_rules")]
WithoutRuleOption = Annotated[list[str] | None, flag("without_rules")]
OnlyOperatorOption = Annotated[list[str] | None, flag("only_operators")]
SeedOption = Annotated[int, flag("seed")]
WorkersOption = Annotated[int | None, flag("workers")]


def _parameter(name: str) -> inspect.Parameter:
    one = OPTIONS[name]
    kind: Any = StrEnum(name, list(zip(one.choices, one.choices, strict=True))) if one.choices else one.takes
    default = kind(one.given) if one.choices else one.given
    hint: Any = Annotated[kind if default is not None else kind | None, flag(name, one.panel)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _panel(parameter: inspect.Parameter) -> str | None:
    return next((getattr(one, "rich_help_panel", None) for one in get_args(parameter.annotation)[1:]), None)


def takes(
    argument: str, names: Iterable[str], made: Callable[[Mapping[str, Any]], object] = dict
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of some fields. Its function gets what ``made`` returns for their values.

    Options in panels stand behind all others.
    """
    options = [_parameter(name) for name in names]

    def with_options(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**values: Any) -> None:
            popped = ((option.name, values.pop(option.name)) for option in options)
            given = {name: str(value) if isinstance(value, StrEnum) else value for name, value in popped}
            command(**values, **{argument: made(given)})

        signature = inspect.signature(command, eval_str=True)
        own = [one.replace(kind=one.KEYWORD_ONLY) for one in signature.parameters.values() if one.name != argument]
        parameters = sorted([*options, *own], key=lambda one: _panel(one) is not None)
        vars(run)["__signature__"] = signature.replace(parameters=parameters)
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return with_options


def reads_models(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for the limits of models, within which it then reads."""

    @functools.wraps(command)
    def run(within: ReadLimits, **values: Any) -> None:
        with reading_within(within):
            command(**values)

    return takes("within", ["max_elements", "max_nodes", "read_timeout_s", "read_memory_gib"], limits)(run)
