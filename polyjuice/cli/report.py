"""``polyjuice report``: one HTML page for a campaign, or for the result of a suite."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from polyjuice import page
from polyjuice.cli.common import JsonOption, stdout
from polyjuice.page.content import Page

_TRIES = 3
"""How often to read a campaign that changes meanwhile."""


def report(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="CAMPAIGN_DIR|SUITE_RESULT",
            help="A campaign's folder; or what suite run --json printed, or the file of pytest --junitxml.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file to write.",
            show_default="report.html in the campaign, or beside the result of the suite",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make one HTML page of a campaign, or of the result of a suite.

    The page of a campaign shows causes with their programs drawn, coverage, time and environment. The page of a suite
    shows what passed, what failed, and why. A page needs no network and no other file.
    """
    html = _of_campaign(path) if path.is_dir() else page.of_result(path)
    written = out or (path / "report.html" if path.is_dir() else path.with_suffix(".html"))
    text = page.render(html)
    part = written.with_name(f".{written.name}")
    part.write_text(text, encoding="utf-8")
    part.replace(written)
    size = len(text.encode())
    summary = {
        "out": str(written),
        "title": html.title,
        "told": len(html.cards),
        "untriaged": sum(group.count for group in html.groups),
        "bytes": size,
    }
    if as_json:
        print(json.dumps(summary))
    else:
        stdout.print(escape(f"{written}: {len(html.cards)} {html.noun}, {size / 1000:,.0f} kB"))


def _of_campaign(folder: Path) -> Page:
    """The page of a campaign. A campaign that runs may replace a finding while it is read: then read all again."""
    for _ in range(_TRIES - 1):
        with suppress(FileNotFoundError):
            return page.of_campaign(folder)
    return page.of_campaign(folder)
