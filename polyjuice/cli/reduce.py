"""``polyjuice reduce``: make a finding as small as possible."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import SpinnerColumn, TextColumn

from polyjuice.campaign.lock import campaign_of, kept_from_running
from polyjuice.cli.common import FINDINGS, OK, PythonOption, RulesOption, Usage, interpreter, seconds, stderr, stdout
from polyjuice.cli.progress import Live
from polyjuice.cli.read_options import reads_models
from polyjuice.egraph import load as load_rules
from polyjuice.formats import ReadLimits
from polyjuice.triage import reduction
from polyjuice.triage.automatic import reduced_folder
from polyjuice.triage.stored import load
from polyjuice.wording import counted


@reads_models
def reduce(
    finding: Annotated[Path, typer.Argument(metavar="FINDING_DIR", help="A finding's folder.")],
    duration: Annotated[
        str, typer.Option("--time", metavar="DURATION", help="How long to search for smaller ones: 90s, 5m.")
    ] = "5m",
    python: PythonOption = None,
    rules: RulesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for the reduced finding.", show_default="FINDING/reduced"),
    ] = None,
    *,
    limits: ReadLimits,
) -> None:
    """Make a finding as small as possible.

    Exit status: 1 where the finding still shows, 0 where it does not.
    """
    folder = out or reduced_folder(finding)
    if folder.exists() and not (folder / "finding.json").is_file() and any(folder.iterdir()):
        raise Usage(f"{folder} holds other files: name another folder with --out")
    stored = load(finding, python and interpreter(python), limits)
    try:
        with kept_from_running(campaign_of(folder)), _Progress() as live:
            record = reduction.reduce(stored, folder, seconds(duration), live.show, load_rules(rules or ()))
    except reduction.NotShown:
        stderr.print(f"polyjuice: {escape(str(finding))} no longer shows: there is nothing to reduce")
        sys.exit(OK)
    reduction_of = record.reduction
    tail = "" if reduction_of["finished"] else "; the time ran out: a longer --time may make it smaller"
    before, after = reduction_of["operators_before"], reduction_of["operators_after"]
    counts = ", ".join(f"{label}: {counted(before[label], 'operator')} to {after[label]:,}" for label in after)
    stdout.print(f"{escape(counts)}{tail}")
    stdout.print(f"[red]{record.kind}[/red] {escape(str(folder))}\n  {escape(record.message)}")
    sys.exit(FINDINGS)


class _Progress(Live):
    def __init__(self) -> None:
        super().__init__(SpinnerColumn(), TextColumn("{task.description}"))
        self._task = self.bar.add_task("starting")

    def show(self, step: reduction.Progress) -> None:
        *first, last = step.operators
        operators = " and ".join([*map(str, first), counted(last, "operator")])
        text = f"{operators}, {step.candidates:,} tried ({step.name})"
        self.tell(self._task, text, description=text)
