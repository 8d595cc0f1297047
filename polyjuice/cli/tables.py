"""Commands that show tables: ``compilers`` and ``ops``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice import compilers, support
from polyjuice.campaign.config import Usage
from polyjuice.cli.common import JsonOption, stdout
from polyjuice.cli.operator_facts import facts
from polyjuice.cli.options import completes
from polyjuice.cli.settings import load_settings
from polyjuice.egraph import load
from polyjuice.execution import Worker, probe
from polyjuice.ops import FRAMEWORKS, TABLE, matching


def list_compilers(
    context: typer.Context,
    probed: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            metavar="NAME",
            help="Try every operator and type on this compiler first (repeatable).",
            autocompletion=completes("compiler"),
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the compilers, and how many operators each takes.

    A campaign tries each operator, element type and rank when it first meets it; --probe tries all types at once.
    """
    set_here = load_settings(context)
    for name in probed or ():
        with Worker(compilers.find(name), python=set_here.python(name)) as worker:
            support.Support(worker.compiler, worker).probe_all()
    found = [_described(name, set_here.python(name)) for name in compilers.names()]
    if as_json:
        print(json.dumps({"compilers": found}))
        return
    table = Table("compiler", "version", "operators taken", "", box=None)
    for row in found:
        known = row["coverage"]
        coverage = f"{known['taken']} of {known['probed']} tried" if known["probed"] else "none tried yet"
        table.add_row(
            row["name"], row["version"] or "-", coverage if row["available"] else "-", escape(str(row["reason"]))
        )
    stdout.print(table)
    for row in found:
        for reason, missing in row["coverage"]["missing"].items() if probed and row["name"] in probed else ():
            stdout.print(escape(f"{row['name']}: {reason}\n    {'; '.join(missing)}"))


def _described(name: str, python: str) -> dict[str, Any]:
    state = probe(name, python)
    known: dict[str, str] = {}
    if state["available"]:
        known = support.read(support.cache_file(compilers.find(name), state["version"]))
    missing: dict[str, list[str]] = {}
    for signature, reason in sorted(known.items()):
        if reason:
            missing.setdefault(reason, []).append(signature)
    taken = sum(not reason for reason in known.values())
    return {"name": name, **state, "coverage": {"probed": len(known), "taken": taken, "missing": missing}}


def list_ops(
    operators: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...", help="Show all about these (globs).", autocompletion=completes("only_operators")
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the operators that Polyjuice knows, or show all that it knows of some."""
    if operators:
        _show_facts(operators, as_json)
        return
    rows: list[dict[str, Any]] = [
        {
            "name": op.name,
            "domain": op.domain,
            "arity": list(op.arity),
            "dtypes": sorted({t for types in op.types.values() for t in types}),
            **{framework: not reason for framework, reason in op.unsupported.items()},
            "holes": {framework: reason for framework, reason in op.unsupported.items() if reason},
        }
        for op in TABLE.values()
    ]
    if as_json:
        print(json.dumps({"ops": rows}))
        return
    table = Table("operator", "operands", "frameworks", "types", box=None)
    for row in rows:
        least, most = row["arity"]
        table.add_row(
            f"{row['domain']}.{row['name']}" if row["domain"] else row["name"],
            str(least) if least == most else f"{least}..{most or ''}",
            " ".join(framework for framework in FRAMEWORKS if row[framework]),
            " ".join(row["dtypes"]),
        )
    stdout.print(table)
    for row in rows:
        for framework, reason in row["holes"].items():
            stdout.print(escape(f"{row['name']} has no {framework} form: {reason}"))


def _show_facts(names: Sequence[str], as_json: bool) -> None:
    try:
        chosen = matching(names)
    except ValueError as error:
        raise Usage(str(error)) from None
    rules = load()
    found = {op.qualified: list(facts(op, rules)) for op in chosen}
    if as_json:
        rows = [{"name": name, "facts": [asdict(fact) for fact in known]} for name, known in found.items()]
        print(json.dumps({"ops": rows}))
        return
    for name, known in found.items():
        table = Table(name, "", box=None)
        for fact in known:
            table.add_row(fact.name, f"[dim]none: {escape(fact.text)}[/dim]" if fact.absent else escape(fact.text))
        stdout.print(table)
