"""``polyjuice coverage``: which parts of a compiler campaigns exercised, and which never."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice.campaign import parts
from polyjuice.campaign.store import Store
from polyjuice.cli.common import JsonOption, stdout


def coverage(
    campaigns: Annotated[list[Path], typer.Argument(metavar="CAMPAIGN_DIR...", help="Folders of campaigns.")],
    missing: Annotated[bool, typer.Option("--missing", help="Show only the parts that never acted.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show which parts of a compiler campaigns exercised.

    For each part, this counts programs with a pattern that it looks for, and near misses of one. It also counts on how
    many of each the part acted, and the causes that are blamed on it. A sample of the programs shows whether it acted.
    """
    with ExitStack() as stack:
        opened = [Store.open(folder) for folder in dict.fromkeys(campaigns)]
        for store, _ in opened:
            stack.enter_context(closing(store))
        found = parts.of_campaigns(opened)
    shown = [replace(one, parts=[part for part in one.parts if part.missing or not missing]) for one in found]
    if as_json:
        rows = [asdict(one) for one in shown]
        print(json.dumps(rows[0] if len(rows) == 1 else rows))
        return
    for whole, one in zip(found, shown, strict=True):
        table = Table("part", "built", "acted", "near misses", "acted on one", "causes", "", box=None)
        for part in one.parts:
            table.add_row(escape(part.part), *(f"{count:,}" for count in part.counts), escape(part.note))
        stdout.print(escape(whole.line()))
        stdout.print(table)
