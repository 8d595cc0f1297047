"""``polyjuice bisect``: find the part of the compiler to blame for a finding."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from polyjuice.campaign.lock import campaign_of, kept_from_running
from polyjuice.cli.common import FINDINGS, OK, JsonOption, PythonOption, interpreter, seconds, stderr, stdout
from polyjuice.cli.read_options import reads_models
from polyjuice.formats import ReadLimits
from polyjuice.triage.bisection import bisect as bisected
from polyjuice.triage.bisection import store
from polyjuice.triage.stored import load


@reads_models
def bisect(
    finding: Annotated[Path, typer.Argument(metavar="FINDING_DIR", help="A finding's folder.")],
    duration: Annotated[
        str, typer.Option("--time", metavar="DURATION", help="How long to search: 90s, 5m, 1h.")
    ] = "5m",
    python: PythonOption = None,
    as_json: JsonOption = False,
    *,
    limits: ReadLimits,
) -> None:
    """Find the parts of the compiler that are to blame for a finding.

    Without them (passes, optimizers, options) the fault vanishes. Their names are written into finding.json and
    report.md. Exit status: 1 where the fault shows, 0 where it no longer does.
    """
    stored = load(finding, python and interpreter(python), limits)
    with kept_from_running(campaign_of(finding)):
        result = bisected(stored, seconds(duration), lambda line: stderr.print(f"  {escape(line)}"))
        store(stored, result)
    if as_json:
        print(json.dumps({"finding": str(finding), **asdict(result)}))
    else:
        stdout.print(f"{escape(stored.verdict.message)}\n{result.trials} trials in {result.elapsed_s:.0f} s")
        for sentence in result.sentences():
            stdout.print(escape(sentence))
    sys.exit(FINDINGS if result.shown else OK)
