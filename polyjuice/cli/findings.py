"""Commands on findings: ``replay``, ``reduce`` and ``bisect``; and ``report``, a page of all of them."""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.markup import escape
from rich.progress import SpinnerColumn, TextColumn

from polyjuice import page
from polyjuice.campaign.config import Usage, seconds
from polyjuice.campaign.lock import campaign_of, hold_campaign_lock
from polyjuice.cli.common import (
    FINDINGS,
    OK,
    FindingArgument,
    JsonOption,
    Live,
    PythonOption,
    interpreter,
    stderr,
    stdout,
)
from polyjuice.cli.options import RulesOption, reads_models
from polyjuice.egraph import load as load_rules
from polyjuice.page.cards import Page
from polyjuice.stored_files import write_whole
from polyjuice.triage import reduction, run_reproducer
from polyjuice.triage.automatic import reduced_folder
from polyjuice.triage.bisection import bisect as run_bisection
from polyjuice.triage.bisection import store as store_bisection
from polyjuice.triage.bisection import store_releases
from polyjuice.triage.record import Decision, in_words, read_record
from polyjuice.triage.releases import by_release, sentences
from polyjuice.triage.stored import Replayed, ReplayStatus, Stored, load
from polyjuice.triage.stored import replay as run_replay
from polyjuice.wording import counted

#: The time limit of a reproducer, in seconds.
_LIMIT_S = 120

_SAID = {
    ReplayStatus.shows: ("red", "still show"),
    ReplayStatus.changed: ("yellow", "changed"),
    ReplayStatus.fixed: ("green", "fixed"),
    ReplayStatus.not_run: ("magenta", "could not run"),
}
"""The colour of each status of a finding, and the words after their number."""


@reads_models
def replay(
    path: Annotated[Path, typer.Argument(metavar="DIR", help="A finding's folder, or a campaign's.")],
    python: PythonOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also say which error bound or mask decided each finding.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run a finding, or all findings of a campaign, again.

    With --python they run in another version. Each finding of a campaign still shows, is fixed, or has changed: its
    programs now fail in another way. Exit status: 1 where a bug still shows, 0 where none does, 2 where nothing
    could run.
    """
    if (path / "repro.py").is_file():
        _reproduce(path, python, as_json, read_record(path).decision if explain else None)
    folders = sorted(folder.parent for folder in (path / "findings").glob("*/finding.json"))
    if not folders:
        raise Usage(f"{path} is neither a finding's folder (there is no repro.py) nor a campaign's with findings")
    results = []
    for folder in folders:
        results.append(run_replay(folder, python and interpreter(python)))
        if not as_json:
            _tell(results[-1])
            _explain(read_record(folder).decision if explain else None)
    counts = Counter(result.status for result in results)
    if as_json:
        rows = [{("fate" if key == "status" else key): value for key, value in asdict(one).items()} for one in results]
        if explain:
            rows = [{**row, "decision": read_record(at).decision} for row, at in zip(rows, folders, strict=True)]
        print(json.dumps({**{status.name: counts[status] for status in ReplayStatus}, "findings": rows}))
    else:
        stdout.print(", ".join(f"{counts[status]} {_SAID[status][1]}" for status in ReplayStatus if counts[status]))
    if counts[ReplayStatus.shows] or counts[ReplayStatus.changed]:
        sys.exit(FINDINGS)
    if not counts[ReplayStatus.fixed]:
        raise Usage(f"no finding of {path} could run; {results[0].finding}: {results[0].message}")
    sys.exit(OK)


_ENDED = {FINDINGS: "the bug shows", OK: "the bug does not show"}
"""The meaning of a reproducer's exit status."""


def _tell(result: Replayed) -> None:
    colour, _ = _SAID[result.status]
    version = f" ({result.version})" if result.version else ""
    message = f": {result.message}" if result.message else ""
    stdout.print(f"[{colour}]{result.status:8}[/{colour}] {escape(result.finding + version + message)}")


def _explain(decision: Decision | None) -> None:
    for sentence in () if decision is None else in_words(decision):
        stdout.print(f"  {escape(sentence)}")


def _reproduce(finding: Path, python: Path | None, as_json: bool, decision: Decision | None) -> None:
    chosen = str(interpreter(python) if python else read_record(finding).conditions.get("python"))
    if "\0" in chosen or shutil.which(chosen) is None:
        raise Usage(f"{finding / 'finding.json'} names the interpreter {chosen!r}, which is not here; give --python")
    status, output = run_reproducer(finding, chosen, _LIMIT_S)
    if as_json:
        explained = {} if decision is None else {"decision": decision}
        print(json.dumps({"finding": finding.name, "status": status, "output": output, **explained}))
    else:
        stdout.print(escape(output))
        stdout.print(_ENDED.get(-1 if status is None else status, "the reproducer could not run"))
        _explain(decision)
    if status not in _ENDED:
        raise Usage(f"{finding / 'repro.py'} could not run; see what it printed")
    sys.exit(status)


@reads_models
def reduce(
    finding: FindingArgument,
    duration: Annotated[
        str, typer.Option("--time", metavar="DURATION", help="How long to search for smaller ones: 90s, 5m.")
    ] = "5m",
    python: PythonOption = None,
    rules: RulesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for the reduced finding.", show_default="FINDING/reduced"),
    ] = None,
) -> None:
    """Make a finding as small as possible.

    Exit status: 1 where the finding still shows, 0 where it does not.
    """
    folder = out or reduced_folder(finding)
    if folder.exists() and not (folder / "finding.json").is_file() and any(folder.iterdir()):
        raise Usage(f"{folder} holds other files: name another folder with --out")
    stored = load(finding, python and interpreter(python))
    try:
        with hold_campaign_lock(campaign_of(folder)), _Reducing() as live:
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


class _Reducing(Live):
    def __init__(self) -> None:
        super().__init__(SpinnerColumn(), TextColumn("{task.description}"))
        self._task = self.bar.add_task("starting")

    def show(self, step: reduction.Progress) -> None:
        *first, last = step.operators
        operators = " and ".join([*map(str, first), counted(last, "operator")])
        text = f"{operators}, {step.candidates:,} tried ({step.name})"
        self.tell(self._task, text, description=text)


@reads_models
def bisect(
    finding: FindingArgument,
    duration: Annotated[
        str, typer.Option("--time", metavar="DURATION", help="How long to search: 90s, 5m, 1h.")
    ] = "5m",
    python: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="The Python interpreter that has the compiler. Several: in which release did the fault come or go?",
            show_default="the finding's own",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find the parts of the compiler that are to blame for a finding, or the release where it came or went.

    Without the parts (passes, optimizers, options) the fault vanishes. With several --python, it is replayed in these
    releases instead, and --time has no effect. The result is written into finding.json and report.md. Exit status: 1
    where the fault shows, 0 where it no longer does.
    """
    pythons = [interpreter(path) for path in python or ()]
    stored = load(finding, pythons[0] if pythons else None)
    if len(pythons) > 1:
        _bisect_releases(stored, pythons, as_json)
    with hold_campaign_lock(campaign_of(finding)):
        result = run_bisection(stored, seconds(duration), lambda line: stderr.print(f"  {escape(line)}"))
        store_bisection(stored, result)
    if as_json:
        print(json.dumps({"finding": str(finding), **asdict(result)}))
    else:
        stdout.print(f"{escape(stored.verdict.message)}\n{result.trials} trials in {result.elapsed_s:.0f} s")
        for sentence in result.sentences():
            stdout.print(escape(sentence))
    sys.exit(FINDINGS if result.shown else OK)


def _bisect_releases(stored: Stored, pythons: Sequence[Path], as_json: bool) -> NoReturn:
    with hold_campaign_lock(campaign_of(stored.folder)):
        found = by_release(stored, pythons, lambda one: stderr.print(f"  {one.status}: {escape(one.version)}"))
        store_releases(stored, found)
    said = list(sentences(found))
    if as_json:
        print(json.dumps({"finding": str(stored.folder), "releases": found, "sentences": said}))
    else:
        stdout.print(escape("\n".join([stored.verdict.message, *said])))
    sys.exit(FINDINGS if {ReplayStatus.shows, ReplayStatus.changed} & {*found.values()} else OK)


_TRIES = 3
"""How often to read a campaign that changes meanwhile."""


def report(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="CAMPAIGN_DIR...|SUITE_RESULT",
            help="Folders of campaigns; or what suite run --json printed, or the file of pytest --junitxml.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file to write.",
            show_default="report.html in the campaign, or here for several; beside the result of the suite",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make one HTML page of campaigns, or of the result of a suite.

    The page of a campaign shows causes with their programs drawn, coverage, time and environment. That of several shows
    each cause once. The page of a suite shows what passed, what failed, and why. A page needs no network and no other
    file.
    """
    first, *others = paths
    if others and (file := next((path for path in paths if not path.is_dir()), None)):
        raise Usage(f"{file} is not a campaign's folder: several campaigns share a page, but no results of suites")
    made = _of_campaigns(paths) if first.is_dir() else page.of_result(first)
    there = Path("report.html") if others else first / "report.html" if first.is_dir() else first.with_suffix(".html")
    written = out or there
    text = page.render(made)
    write_whole(written, text)
    size = len(text.encode())
    summary = {
        "out": str(written),
        "title": made.title,
        "told": len(made.cards),
        "untriaged": sum(count for _, count, _ in made.groups),
        "bytes": size,
    }
    if as_json:
        print(json.dumps(summary))
    else:
        told = counted(len(made.cards), made.noun.removesuffix("s"))
        stdout.print(escape(f"{written}: {told}, {size / 1000:,.0f} kB"))


def _of_campaigns(folders: Sequence[Path]) -> Page:
    """The page of campaigns. One that runs may replace a finding while it is read: then read all again."""

    def made() -> Page:
        return page.of_campaigns(folders) if len(folders) > 1 else page.of_campaign(folders[0])

    for _ in range(_TRIES - 1):
        with suppress(FileNotFoundError):
            return made()
    return made()
