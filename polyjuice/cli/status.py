"""``polyjuice status``: what campaigns do now, or how they ended."""

from __future__ import annotations

import json
import shlex
import time
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from polyjuice.campaign.config import Config
from polyjuice.campaign.lock import is_running
from polyjuice.campaign.store import Store
from polyjuice.cli.common import JsonOption, stdout
from polyjuice.cli.summary import cases_ended, finished, rate
from polyjuice.wording import counted, duration

_HANGS = 2
"""A task that takes this many times the longest time of one compilation probably hangs."""

_SUMS = ("tested", "programs", "raw_findings", "causes", "known")


def status(
    campaigns: Annotated[list[Path], typer.Argument(metavar="CAMPAIGN_DIR...", help="The folders of campaigns.")],
    as_json: JsonOption = False,
) -> None:
    """Say what campaigns do now, or how they ended: cases, causes, the time since the last new cause, what hangs."""
    found = [_of(folder) for folder in campaigns]
    if as_json:
        print(json.dumps({"campaigns": found}))
        return
    for one in found:
        stdout.print(f"[bold]{escape(one['campaign'])}", highlight=False)
        table = Table(show_header=False, box=None, padding=(0, 2, 0, 2))
        for name, text in _rows(one).items():
            table.add_row(name, escape(text))
        stdout.print(table)
    if len(found) > 1:
        sums = {name: sum(one[name] for one in found) for name in _SUMS}
        running = sum(one["state"] == "running" for one in found)
        stdout.print(
            f"\n{counted(len(found), 'campaign')}, {running} running: {counted(sums['tested'], 'case')}, "
            f"{counted(sums['programs'], 'program')}, {counted(sums['raw_findings'], 'finding')}, "
            f"{counted(sums['causes'], 'cause')} before merging, {sums['known']:,} known"
        )


def _of(folder: Path) -> dict[str, Any]:
    """The state of a campaign as plain data; times are in seconds. Raises NoCampaign."""
    store, config = Store.open(folder)
    with closing(store):
        counts, spent, now = store.summary(), store.spent(), time.time()
        told = json.loads(store.meta("now") or "{}")
        runs = is_running(folder)
        last = store.meta("last_cause")
        return {
            "campaign": str(folder),
            "compiler": config.compiler,
            "version": store.meta("version") or "",
            "state": "running" if runs else "ended" if cases_ended(store, config) else "stopped",
            "finished": bool(finished(store, config)),
            "phase": told.get("phase", "") if runs else "",
            "tested": counts["tested"],
            "skipped": counts["skipped"],
            "programs": counts["programs"],
            "programs_per_second": rate(counts["programs"], spent["busy_s"]),
            "raw_findings": counts["raw_findings"],
            "causes": counts["causes"],
            "untriaged": counts["untriaged"],
            "known": sum(counts["known"].values()),
            "last_cause_s": round(now - float(last), 1) if last else None,
            "silent_s": round(now - told["at"], 1) if runs and told else None,
            "work": [{"work": work, "age_s": round(now - at, 1)} for work, at in told.get("tasks", ())] if runs else [],
            "hangs": [work for work, at in told.get("tasks", ()) if runs and now - at > _HANGS * config.timeout_s],
            "elapsed_s": round(spent["elapsed_s"], 1),
            "of": _of_how_many(config),
        }


def _of_how_many(config: Config) -> str:
    return counted(config.cases, "case") if config.cases is not None else f"{duration(config.time_s or 0.0)} of cases"


def _rows(one: dict[str, Any]) -> dict[str, str]:
    resume = f"; continue it with: polyjuice fuzz --resume {shlex.quote(one['campaign'])}"
    state = {
        "running": f"running: {one['phase'] or 'starting'}",
        "ended": f"ended after {duration(one['elapsed_s'])}"
        + ("" if one["finished"] else f", some work is left{resume}"),
        "stopped": f"stopped before its end{resume}",
    }[one["state"]]
    skipped = f", {one['skipped']:,} skipped" if one["skipped"] else ""
    found = f"{counted(one['raw_findings'], 'finding')}, {counted(one['causes'], 'cause')}"
    found += f", {one['untriaged']} not triaged" if one["untriaged"] else ""
    found += f", {one['known']} known" if one["known"] else ""
    found += f"; the last new cause {duration(one['last_cause_s'])} ago" if one["last_cause_s"] is not None else ""
    rows = {
        "state": state,
        "compiler": f"{one['compiler']} {one['version']}".strip(),
        "asked": one["of"],
        "cases": f"{counted(one['tested'], 'case')} tested{skipped}; {one['programs_per_second']:.3g} programs/s",
        "findings": found,
    }
    if one["work"]:
        oldest = max(one["work"], key=lambda task: task["age_s"])
        rows["work"] = (
            f"{counted(len(one['work']), 'task')}; the oldest, {oldest['work']}, for {duration(oldest['age_s'])}"
        )
    if one["hangs"]:
        rows["hangs"] = f"probably: {'; '.join(one['hangs'])}"
    if one["silent_s"] is not None and one["silent_s"] > 60:
        rows["silent"] = f"its main process has said nothing for {duration(one['silent_s'])}"
    return rows
