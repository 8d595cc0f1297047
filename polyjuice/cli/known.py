"""``polyjuice known``: bugs that are known already, which campaigns count and do not show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice.cli.common import JsonOption, Usage, stdout
from polyjuice.triage import known

app = typer.Typer(help="Known bugs: campaigns count what matches them, and do not show it.", no_args_is_help=True)

FileOption = Annotated[Path, typer.Option("--file", help="The file of known bugs.")]


@app.command("add")
def add(
    finding: Annotated[Path, typer.Argument(help="A finding's folder.")],
    url: Annotated[str, typer.Option(help="Where the bug is reported.")],
    fixed: Annotated[str, typer.Option(help="The version in which it is fixed.")] = "",
    file: FileOption = Path(known.DEFAULT_FILE),
) -> None:
    """Add a finding's bug, from the version that showed it on; or say anew where a known one is reported, and fixed."""
    path = finding / "finding.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        bug, new = known.add(file, record, url, fixed)
    except FileNotFoundError:
        raise Usage(f"{finding} is not a finding's folder (there is no finding.json)") from None
    except (json.JSONDecodeError, KeyError) as error:
        raise Usage(f"{path} is not what a campaign writes: {error!r}") from None
    stdout.print(escape(f"{file}: {'added' if new else 'changed'}: {_described(bug)}"))


@app.command("list")
def show(file: FileOption = Path(known.DEFAULT_FILE), as_json: JsonOption = False) -> None:
    """The known bugs of a file."""
    bugs = known.read(file)
    if as_json:
        print(json.dumps({"known": [vars(bug) for bug in bugs]}))
        return
    table = Table("compiler", "versions", "fixed in", "signature or pattern", "reported", box=None)
    for bug in bugs:
        table.add_row(bug.compiler, bug.versions or "all", bug.fixed or "-", escape(_sought(bug)), escape(bug.url))
    stdout.print(table)


def _described(bug: known.KnownBug) -> str:
    fixed = f", fixed in {bug.fixed}" if bug.fixed else ""
    return f"{bug.compiler} {bug.versions or 'in all versions'}{fixed}: {_sought(bug)}"


def _sought(bug: known.KnownBug) -> str:
    return " or ".join(filter(None, [bug.signature, bug.pattern]))
