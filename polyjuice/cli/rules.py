"""``polyjuice rules``: list, show and check the rewrite rules."""

from __future__ import annotations

import fnmatch
import json
import os
import random
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, TextColumn
from rich.table import Table

from polyjuice.campaign.config import Usage
from polyjuice.campaign.store import Store
from polyjuice.cli.common import FINDINGS, OK, JsonOption, Live, stdout
from polyjuice.cli.options import OnlyRuleOption, RulesOption, SeedOption, WithoutRuleOption, WorkersOption, completes
from polyjuice.egraph import Budget, Rewriter, Rule, classes, load
from polyjuice.egraph.pattern_instances import NoInstance, draw
from polyjuice.egraph.terms import directions, term
from polyjuice.ir import GraphError, dtypes
from polyjuice.rulecheck.run import SOUND, UNSOUND, UNTESTED, Report, check_all
from polyjuice.wording import counted, did_you_mean

app = typer.Typer(help="List, show and check the rewrite rules.", no_args_is_help=True)


@app.command("list")
def list_rules(rules: RulesOption = None, as_json: JsonOption = False) -> None:
    """List all rules with their exactness and mathematics."""
    found = load(rules or ())
    if as_json:
        rows = [
            {"name": r.name, "ruleset": r.ruleset, "file": str(r.file), "line": r.line, "rule": r.comment}
            for r in found
        ]
        print(json.dumps({"rules": rows}))
        return
    table = Table("rule", "exactness", "mathematics", box=None)
    for rule in found:
        table.add_row(rule.name, rule.ruleset, escape(rule.comment))
    stdout.print(table)


@app.command("show")
def show_rule(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The rule's name.", autocompletion=completes("only_rules"))
    ],
    rules: RulesOption = None,
    campaign: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Campaigns' folders: say how often the rule fired."),
    ] = None,
) -> None:
    """Show one rule: its text, an example, and how often it fired in a campaign."""
    found = {rule.name: rule for rule in load(rules or ())}
    if (rule := found.get(name)) is None:
        raise Usage(f"no rule is called {name!r}: `polyjuice rules list` shows the names{did_you_mean(name, found)}")
    stdout.print(f"{rule.comment}\n{rule.text}\n{rule.ruleset}, {rule.file}:{rule.line}", markup=False)
    for direction in directions(rule):
        if shown := _example(direction):
            before, after, types = shown
            stdout.print(f"\nexample ({types})\n  before {before}\n  after  {after}", markup=False)
    for folder in campaign or ():
        store, _ = Store.open(folder)
        cases, tested = store.fired(name)
        stdout.print(f"\n{folder}: fired in the e-graphs of {cases:,} of {counted(tested, 'case')}", markup=False)


@app.command("check")
def check_rules(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names or patterns.", show_default="all rules", autocompletion=completes("only_rules")),
    ] = None,
    rules: RulesOption = None,
    only_rule: OnlyRuleOption = None,
    without_rule: WithoutRuleOption = None,
    trials: Annotated[int, typer.Option(min=1, metavar="N", help="How often to try each rule.")] = 40,
    graphs: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="How many generated graphs to apply all rules to.",
            show_default="2000; 0 if you name rules",
        ),
    ] = None,
    workers: WorkersOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Check that rules are true.

    Each is tried on random instances of its left side, and all of them together on generated graphs. A rule is sound,
    unsound (with the smallest counterexample found), or untested. Exit status: 0 where all are sound and agree with
    each other, 1 otherwise.
    """
    found = load(rules or (), only_rule or (), without_rule or ())
    for name in names or ():
        if not fnmatch.filter([rule.name for rule in found], name):
            raise Usage(f"no rule is called {name!r}: `polyjuice rules list` shows the names")
    chosen = [rule for rule in found if not names or any(fnmatch.fnmatchcase(rule.name, name) for name in names)]
    if graphs is None:
        graphs = 0 if names else 2000
    with _Progress({"rules": len(chosen), "graphs": graphs}) as live:
        report = check_all(chosen, trials, graphs, seed, workers or os.cpu_count() or 1, live.show)
    if as_json:
        print(json.dumps(_summary(report)))
    else:
        _print_report(report)
    sys.exit(OK if report.good else FINDINGS)


class _Progress(Live):
    def __init__(self, totals: dict[str, int]) -> None:
        super().__init__(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total}"))
        self._totals = totals
        self._tasks = {what: self.bar.add_task(what, total=total) for what, total in totals.items() if total}

    def show(self, what: str, done: int) -> None:
        done = min(done, self._totals[what])
        self.tell(self._tasks[what], f"{what}: {done} of {self._totals[what]}", completed=done)


def _summary(report: Report) -> dict[str, object]:
    together = report.together
    summary: dict[str, object] = {status: report.count(status) for status in (SOUND, UNSOUND, UNTESTED)}
    summary["rules"] = [result.row for result in report.results]
    if together:
        summary["together"] = {
            "graphs": together.graphs,
            "classes": together.classes,
            "incoherent": list(together.incoherent),
            "dead": report.dead,
        }
    return summary


def _print_report(report: Report) -> None:
    for result in report.results:
        where = f"{result.rule.name} ({result.rule.file}:{result.rule.line})"
        if result.status == UNSOUND:
            stdout.print(f"[red]unsound[/red] {escape(where)}\n{escape(_indented(result.explanation))}")
        if result.status == UNTESTED:
            stdout.print(f"[yellow]untested[/yellow] {escape(where)}: {counted(result.trials, 'conclusive trial')}")
            if result.explanation:
                stdout.print(escape(_indented(result.explanation)))
    counts = ", ".join(f"{report.count(status)} {status}" for status in (SOUND, UNSOUND, UNTESTED))
    stdout.print(f"{counted(len(report.results), 'rule')}: {counts}")
    if report.together:
        together = report.together
        stdout.print(
            f"{counted(together.graphs, 'generated graph')}: {counted(together.classes, 'e-class')} compared, "
            f"{counted(len(together.incoherent), 'disagreement')}; {counted(len(report.dead), 'rule')} fired nowhere"
        )
        for text in together.incoherent[:10]:
            stdout.print(f"[red]incoherent[/red] {escape(text)}")
        if report.dead:
            stdout.print(f"fired nowhere: {escape(', '.join(report.dead))}")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


_DRAWS = 300
_PREFERRED = ("float32", "int32", "bool", *dtypes.ALL)


def _example(rule: Rule) -> tuple[str, str, str] | None:
    """The shortest example among some instances of a one-way rule: before, after, and the types of its inputs.

    None where no instance could be drawn.
    """
    rewriter = Rewriter([rule], Budget(rules=None, iterations=1))
    found: list[tuple[str, str, str]] = []
    for number in range(_DRAWS):
        dtype = _PREFERRED[number % 3] if number < _DRAWS // 2 else _PREFERRED[number % len(_PREFERRED)]
        try:
            instance = draw(rule, random.Random(f"example {rule.name} {number}"), dtype)
            saturated = rewriter.saturate([instance.graph], number, [instance.ranges])
        except (NoInstance, GraphError):
            continue
        known = classes(saturated, 0) if saturated.rules else None
        before = term(instance.graph, instance.graph.outputs[0])
        for group in known.groups if known else ():
            terms = [term(known.graph, name) for name in group] if known else []
            others = [text for text in terms if text != before]
            if before in terms and others:
                types = ", ".join(f"{name}: {instance.graph.types[name]}" for name in instance.graph.inputs)
                found.append((before, others[0], types))
        if len(found) >= 5:
            break
    return min(found, key=lambda one: len(one[0]) + len(one[1]), default=None)
