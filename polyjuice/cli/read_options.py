"""The limits of models as options: one definition, which every command gets that reads models."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from polyjuice.cli.option_groups import takes
from polyjuice.formats import ReadLimits

_PANEL = "Limits of models"


@dataclass(frozen=True, kw_only=True)
class _Options:
    max_elements: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="The most elements of each input and result; all together may have 16 times as many.",
            rich_help_panel=_PANEL,
        ),
    ] = ReadLimits.elements
    max_nodes: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="The most nodes of a model, with those of its functions.", rich_help_panel=_PANEL
        ),
    ] = ReadLimits.nodes
    read_timeout: Annotated[
        float,
        typer.Option(min=1, metavar="SECONDS", help="How long reading a model may compute.", rich_help_panel=_PANEL),
    ] = ReadLimits.seconds
    read_memory: Annotated[
        float,
        typer.Option(
            min=1, metavar="GIB", help="How much memory reading a model may take, in GiB.", rich_help_panel=_PANEL
        ),
    ] = ReadLimits.memory_gib

    def limits(self) -> ReadLimits:
        return ReadLimits(
            elements=self.max_elements,
            nodes=self.max_nodes,
            seconds=self.read_timeout,
            memory_gib=self.read_memory,
        )


KEYS = frozenset(field.name.replace("_", "-") for field in fields(_Options))
"""The names of the options, as keys of ``polyjuice.toml``."""

reads_models = takes("limits", _Options, _Options.limits)
"""Give a command the options for limits; the function gets them as its parameter ``limits``."""
