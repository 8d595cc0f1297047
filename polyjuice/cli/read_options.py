"""The limits of models as options: one definition, which every command gets that reads models."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from polyjuice.formats import ReadLimits

_PANEL = "Limits of models"

_DEFAULT = ReadLimits()

_OPTIONS: dict[str, Any] = {
    "max_elements": Annotated[
        int,
        typer.Option(
            "--max-elements",
            min=1,
            metavar="N",
            help="The most elements of each input and result; all together may have 16 times as many.",
            rich_help_panel=_PANEL,
        ),
    ],
    "max_nodes": Annotated[
        int,
        typer.Option(
            "--max-nodes",
            min=1,
            metavar="N",
            help="The most nodes of a model, with those of its functions.",
            rich_help_panel=_PANEL,
        ),
    ],
    "read_timeout": Annotated[
        float,
        typer.Option(
            "--read-timeout",
            min=1,
            metavar="SECONDS",
            help="How long reading a model may compute.",
            rich_help_panel=_PANEL,
        ),
    ],
    "read_memory": Annotated[
        float,
        typer.Option(
            "--read-memory",
            min=1,
            metavar="GIB",
            help="How much memory reading a model may take, in GiB.",
            rich_help_panel=_PANEL,
        ),
    ],
}

_DEFAULTS = {
    "max_elements": _DEFAULT.elements,
    "max_nodes": _DEFAULT.nodes,
    "read_timeout": _DEFAULT.seconds,
    "read_memory": _DEFAULT.memory_gib,
}

KEYS = frozenset(name.replace("_", "-") for name in _OPTIONS)
"""The names of the options, as keys of ``polyjuice.toml``."""


def reads_models(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for limits; the function gets them as its parameter ``limits``."""

    @functools.wraps(command)
    def with_limits(**values: Any) -> None:
        max_elements, max_nodes, read_timeout, read_memory = (values.pop(name) for name in _OPTIONS)
        command(
            **values,
            limits=ReadLimits(elements=max_elements, nodes=max_nodes, seconds=read_timeout, memory_gib=read_memory),
        )

    own = inspect.signature(command, eval_str=True)
    parameters = [parameter for parameter in own.parameters.values() if parameter.name != "limits"]
    for name, annotation in _OPTIONS.items():
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=_DEFAULTS[name], annotation=annotation))
    vars(with_limits)["__signature__"] = own.replace(parameters=parameters)
    with_limits.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_limits
