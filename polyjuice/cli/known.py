"""``polyjuice known``: known bugs, which campaigns count and do not report."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice.campaign.store import Store
from polyjuice.cli.common import FINDINGS, OK, FindingArgument, JsonOption, stdout
from polyjuice.cli.settings import load_settings
from polyjuice.triage import known_list
from polyjuice.triage.known_list import KnownBug
from polyjuice.wording import counted

app = typer.Typer(help="List and add known bugs, which campaigns count and do not show.", no_args_is_help=True)

_OWN_FILE = f"that of polyjuice.toml, or {known_list.DEFAULT_FILE}"


def _file(default: str) -> Any:
    return typer.Option("--file", metavar="FILE", help="The file of known bugs.", show_default=default)


FileOption = Annotated[Path | None, _file(_OWN_FILE)]
ReadOption = Annotated[Path | None, _file(f"{_OWN_FILE}, and the list that Polyjuice ships")]


@app.command("add")
def add(
    context: typer.Context,
    finding: FindingArgument,
    url: Annotated[str, typer.Option(metavar="URL", help="Where the bug is reported.")],
    title: Annotated[str, typer.Option(metavar="TEXT", help="The bug in a few words.")] = "",
    fixed: Annotated[str, typer.Option(metavar="VERSION", help="The version in which it is fixed.")] = "",
    file: FileOption = None,
) -> None:
    """Add a finding's bug to the known ones.

    The entry holds from the version on that showed the bug. Where the file has the bug already, its address and the
    version that fixed it change. A bug that came back after its fix gets another entry. Nothing is added where an
    entry of the file, or one that comes with Polyjuice, knows the finding already.
    """
    file = file or load_settings(context).own_known
    fields = {"url": url, "title": title, "fixed": fixed}
    done = known_list.add(file, finding, fields, known_list.load_known_bugs([known_list.SHIPPED]))
    if done.added or done.changed:
        stdout.print(escape(f"{file}: {'added' if done.added else 'changed'}: {_described(done.bug)}"))
    else:
        stdout.print(escape(f"known already, nothing added: {done.bug.name}: {_described(done.bug)}"))


@app.command("list")
def show(context: typer.Context, file: ReadOption = None, as_json: JsonOption = False) -> None:
    """List the known bugs.

    By default, this lists the bugs that a campaign started in this folder would know; with --file, those of a file.
    """
    bugs = _chosen(context, file)
    if as_json:
        print(json.dumps({"known": [vars(bug) for bug in bugs]}))
        return
    table = Table("compiler", "versions", "fixed in", "bug", "signature or pattern", box=None)
    for bug in bugs:
        table.add_row(bug.compiler, bug.versions or "all", bug.fixed or "-", escape(bug.name), escape(_sought(bug)))
    stdout.print(table)


@app.command("check")
def check(
    context: typer.Context,
    campaign: Annotated[Path, typer.Argument(metavar="CAMPAIGN_DIR", help="A campaign's folder.")],
    file: ReadOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which findings of a campaign are known bugs, and which are new.

    Exit status: 0 where all are known, 1 where one is new.
    """
    store, _ = Store.open(campaign)
    try:
        (findings, raw), met = _recognized(store, _chosen(context, file)), store.known()
    finally:
        store.close()
    new = sum(not finding["is_known"] for finding in findings)
    if as_json:
        shown = [{**finding, "known": vars(finding["known"]) if finding["known"] else None} for finding in findings]
        rows = [{**row, "known": row["known"].url if row["known"] else None} for row in raw]
        print(json.dumps({"campaign": str(campaign), "new": new, "met": met, "findings": shown, "raw_findings": rows}))
    else:
        for finding in findings:
            stdout.print(escape(_line(finding, sum(row["finding"] == finding["folder"] for row in raw))))
        for url, count in met.items():
            stdout.print(escape(f"{count} × known to the campaign, so not a finding: {url}"))
        unknown = sum(row["known"] is None for row in raw)
        counts = f"{counted(len(raw), 'raw finding')}, {unknown} match no entry"
        stdout.print(f"{counted(len(findings), 'finding')}, {new} new; {counts}")
    sys.exit(FINDINGS if new else OK)


def _recognized(store: Store, bugs: Sequence[KnownBug]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The reported findings and all raw ones, each with the bug that explains it, or else None.

    A finding ``is_known`` if its compiler's version is known to have the bug. A raw finding has the bug of the finding
    that stands for it, or else the one that explains the raw finding.
    """
    findings, raw = [], []
    for distinct in [*store.causes(), *store.groups()]:
        record, folder = distinct.record, f"findings/{distinct.name}"
        bug = known_list.explaining(bugs, record)
        is_known = bool(bug and bug.is_in(record["versions"].get(record["compiler"], "")))
        findings.append({"folder": folder, "signature": distinct.cause, "known": bug, "is_known": is_known})
        for name in (distinct.name, *distinct.others):
            own = bug or known_list.explaining(bugs, known_list.read_finding(store.folder / "raw" / name))
            raw.append({"folder": f"raw/{name}", "finding": folder, "known": own})
    return findings, raw


def _chosen(context: typer.Context, file: Path | None) -> tuple[KnownBug, ...]:
    if file:
        return known_list.read(file)
    return known_list.load_known_bugs(known_list.sources(load_settings(context).known))


def _line(finding: Mapping[str, Any], raw: int) -> str:
    name, bug, found = finding["folder"], finding["known"], counted(raw, "raw finding")
    if not bug:
        return f"{name} is new, {found}: {finding['signature']}"
    if not finding["is_known"]:
        return f"{name} is new, {found}: it looks like {bug.name}, which this version should have fixed"
    return f"{name} is known, {found}: {bug.name}"


def _described(bug: KnownBug) -> str:
    fixed = f", fixed in {bug.fixed}" if bug.fixed else ""
    return f"{bug.compiler} {bug.versions or 'in all versions'}{fixed}: {_sought(bug)}"


def _sought(bug: KnownBug) -> str:
    return " or ".join(filter(None, [bug.signature, bug.pattern]))
