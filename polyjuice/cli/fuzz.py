"""``polyjuice fuzz``: a campaign, its progress, and what it printed at the end."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from polyjuice import compilers, formats
from polyjuice.campaign import loop
from polyjuice.campaign.case import CaseResult
from polyjuice.campaign.config import ORIGINAL, Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import Store
from polyjuice.cli.common import (
    DEFECT,
    FINDINGS,
    INTERRUPTED,
    OK,
    USAGE,
    JsonOption,
    OnlyOperatorOption,
    OnlyRuleOption,
    RulesOption,
    SeedOption,
    Usage,
    WithoutRuleOption,
    chosen,
    interpreter,
    seconds,
    stderr,
    stdout,
)
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule, load
from polyjuice.execution import probe
from polyjuice.generate import DISRUPTED_STRATEGY
from polyjuice.inputs import PROFILES, USUAL_PROFILES, allowed_rulesets
from polyjuice.ops import matching
from polyjuice.oracles import ORACLES
from polyjuice.triage import known
from polyjuice.triage.automatic import Triaged

_ORACLES = "metamorphic,crash"


class Extract(StrEnum):
    """How variants are chosen from the e-graph."""

    minmax = "minmax"
    steps = "steps"
    random = "random"
    original = ORIGINAL


class Device(StrEnum):
    """Where the compiled program runs."""

    cpu = "cpu"
    cuda = "cuda"


def fuzz(
    compiler: Annotated[str, typer.Option("--compiler", help="The compiler to test.")] = "",
    seeds: Annotated[
        list[str] | None,
        typer.Option("--seeds", help="A strategy, or models: MODEL.onnx, PROGRAM.pt2, module:callable (repeatable)."),
    ] = None,
    cases: Annotated[int | None, typer.Option("-n", min=1, help="How many cases to run.")] = None,
    duration: Annotated[str | None, typer.Option("--time", help="How long to run: 90s, 10m, 8h.")] = None,
    seed: SeedOption = 0,
    nodes: Annotated[int, typer.Option(min=1, help="Operators in a generated seed graph.")] = 10,
    variants: Annotated[int, typer.Option(min=2, help="Variants of each seed graph.")] = 2,
    disruptive: Annotated[
        bool, typer.Option(help="Break one constraint of each hirgen graph: an error is due, a crash or hang a bug.")
    ] = False,
    extract: Annotated[Extract, typer.Option(help="How variants are chosen; original: none.")] = Extract.minmax,
    rules: RulesOption = None,
    only_operator: OnlyOperatorOption = None,
    only_rule: OnlyRuleOption = None,
    without_rule: WithoutRuleOption = None,
    oracle: Annotated[
        str,
        typer.Option(help="Oracles, separated by commas.", show_default="metamorphic,crash; crash with --disruptive"),
    ] = "",
    profile: Annotated[str, typer.Option(help="Input profiles, separated by commas.")] = ",".join(USUAL_PROFILES),
    input_sets: Annotated[
        int, typer.Option(min=1, help="Sets of inputs that each program is run on, of each profile.")
    ] = 1,
    python: Annotated[Path | None, typer.Option(help="The interpreter that has the compiler.")] = None,
    device: Annotated[Device, typer.Option(help="Where to run.")] = Device.cpu,
    level: Annotated[str, typer.Option(help="The compiler's optimization level; its highest unless given.")] = "",
    known_bugs: Annotated[
        Path | None,
        typer.Option("--known", help=f"Known bugs, counted and not shown; {known.DEFAULT_FILE} if there is one."),
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one per core unless given.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one compilation, and for one run.")] = 120,
    triage: Annotated[
        str, typer.Option(help="How long a finding is reduced, and bisected, at most; 0s: findings stay as they are.")
    ] = "5m",
    opset: Annotated[int, typer.Option(min=18, max=20, help="The opset of ONNX models.")] = 18,
    out: Annotated[Path | None, typer.Option(help="The campaign's folder; a new one unless given.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the campaign in this folder.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Test a compiler: generate graphs, rewrite them, compile the variants, and compare the results.

    Exit status: 0 nothing found, 1 something found, 2 a mistake in the options or the environment, 3 a defect of
    Polyjuice itself, 130 interrupted (continue with --resume).
    """
    if resume:
        store, config = Store.open(resume)
        if out or compiler:
            raise Usage("--resume continues a campaign as it was begun: give neither --out nor --compiler with it")
        store.claim()
        version, models, rules_used = _check_before_start(config, resume)
    else:
        if not compiler:
            raise Usage(f"which compiler? --compiler is one of {', '.join(compilers.names())}")
        config = Config(
            compiler=compiler,
            seeds=tuple(_seed_source(s) for s in seeds or ["default"]),
            cases=cases,
            time_s=seconds(duration) if duration else None if cases else 600.0,
            seed=seed,
            nodes=nodes,
            variants=variants,
            extract=ORIGINAL if disruptive else extract.value,
            rules=tuple(str(path.resolve()) for path in rules or ()),
            only_operators=tuple(only_operator or ()),
            only_rules=tuple(only_rule or ()),
            without_rules=tuple(without_rule or ()),
            oracles=chosen(oracle or ("crash" if disruptive else _ORACLES), list(ORACLES), "--oracle"),
            profiles=chosen(profile, PROFILES, "--profile"),
            input_sets=input_sets,
            python=str(interpreter(python)),
            device=device.value,
            level=level,
            workers=workers or os.cpu_count() or 1,
            timeout_s=timeout,
            opset=opset,
            disruptive=disruptive,
            known=_known_bugs(known_bugs),
            triage_s=0.0 if re.fullmatch(r"0+[smhd]?", triage) else seconds(triage, "--triage"),
        )
        version, models, rules_used = _check_before_start(config)
        store = Store.create(out or _new_folder(compiler), config)
    try:
        models.keep(store.folder)
        status, summary = _run_campaign(config, rules_used, store, version)
    except (EnvironmentProblem, formats.FormatError):
        store.abandon()
        raise
    if as_json:
        print(json.dumps(summary))
    else:
        _print_summary(summary, store)
    sys.exit(status)


def _check_before_start(config: Config, folder: Path | None = None) -> tuple[str, Seeds, tuple[Rule, ...]]:
    """Find the user's mistakes before the campaign begins; the compiler's version, the seeds, and the rules."""
    try:
        operators = matching(config.only_operators)
        seeds = Seeds(config.seeds, config.nodes, config.seed, folder, operators=operators)
    except ValueError as error:
        raise Usage(str(error)) from None
    if config.only_operators and not seeds.generated:
        raise Usage("--only-operator: the graphs of --seeds have the operators that they have; leave it out")
    _check_choices(config)
    allowed = allowed_rulesets(config.profiles)
    rules = load(map(Path, config.rules), config.only_rules, config.without_rules)
    rules = tuple(rule for rule in rules if rule.ruleset in allowed)
    if not rules:
        raise Usage(f"--profile {','.join(config.profiles)}: no rule that was chosen holds on its values")
    if config.known:
        known.read(Path(config.known))
    found = probe(compilers.find(config.compiler), config.python)
    if not found["available"]:
        raise EnvironmentProblem(found["reason"])
    return found["version"], seeds, rules


def _check_choices(config: Config) -> None:
    """Raise Usage where the compiler lacks a level, or an oracle cannot judge what the campaign would give it."""
    compiler = compilers.find(config.compiler)
    if config.level and config.level not in compiler.levels:
        levels = f"choose from {', '.join(compiler.levels)}" if compiler.levels else "it has no optimization levels"
        raise Usage(f"--level {config.level}: {config.compiler}: {levels}")
    if config.disruptive and config.seeds != (DISRUPTED_STRATEGY,):
        raise Usage(f"--disruptive is for {DISRUPTED_STRATEGY} graphs: give --seeds {DISRUPTED_STRATEGY} with it")
    if config.disruptive and config.oracles != ("crash",):
        raise Usage(f"--oracle {','.join(config.oracles)}: with --disruptive there is nothing to compare: crash alone")
    for oracle in (ORACLES[name] for name in config.oracles):
        if refusal := oracle.refusal(compiler):
            raise Usage(f"--oracle {oracle.name}: {refusal}")
        if oracle.least > 1 and config.extract == ORIGINAL:
            raise Usage(f"--oracle {oracle.name} compares variants, and --extract {ORIGINAL} makes none")


def _run_campaign(config: Config, rules: Sequence[Rule], store: Store, version: str) -> tuple[int, dict[str, Any]]:
    began = time.monotonic()
    status = None
    try:
        with _Live(config, store) as live:
            loop.run(config, rules, store, live)
    except KeyboardInterrupt:
        stderr.print(f"interrupted; continue with: polyjuice fuzz --resume {store.folder}")
        status = INTERRUPTED
    except RuntimeError as error:
        stderr.print(f"polyjuice: {escape(str(error))}")
        status = DEFECT
    counts = store.summary()
    elapsed = float(store.meta("elapsed_s") or time.monotonic() - began)
    summary = {
        "compiler": config.compiler,
        "version": version,
        "seed": config.seed,
        **counts,
        **({"accepted": store.accepted()} if config.disruptive else {}),
        "elapsed_s": round(elapsed, 2),
        "pairs_per_second": round(counts["pairs"] / elapsed, 3) if elapsed else 0.0,
        "out": str(store.folder),
    }
    return (_status(counts, store.folder) if status is None else status), summary


def _status(counts: dict[str, Any], folder: Path) -> int:
    if counts["unsound_variants"] or counts["defects"]:
        return DEFECT
    if counts["raw_findings"]:
        return FINDINGS
    if not counts["tested"] and not counts["known"]:
        stderr.print(f"polyjuice: the campaign tested nothing; the reasons are in {escape(str(folder / 'log'))}")
        return USAGE
    return OK


class _Live:
    """Progress on standard error: a bar on a terminal, a line now and then elsewhere; and the campaign's log."""

    _EVERY_S = 15.0

    def __init__(self, config: Config, store: Store) -> None:
        self._config = config
        self._counts = store.summary()
        self._known = sum(self._counts["known"].values())
        self._triaged = 0
        self._log = (store.folder / "log").open("a", encoding="utf-8", buffering=1)
        self._began = self._last = time.monotonic()
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[text]}"),
            TimeElapsedColumn(),
            console=stderr,
            disable=not stderr.is_terminal,
        )
        total = config.cases if config.cases is not None else config.time_s
        self._task = self._progress.add_task(config.compiler, total=total, text="starting")

    def __enter__(self) -> _Live:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        self._log.close()

    def case(self, result: CaseResult) -> None:
        counts = self._counts
        counts["tested"] += result.pairs > 0
        counts["pairs"] += result.pairs
        counts["skipped"] += bool(result.skipped)
        counts["raw_findings"] += len(result.findings)
        self._known += len(result.known)
        counts["unsound_variants"] += len(result.unsound)
        self._log.write(_log_line(result) + "\n")
        for finding in result.findings:
            stderr.print(f"[red]finding[/red] {escape(finding.folder)}: {escape(finding.message)}")
        for problem in [*result.unsound, *filter(None, [result.defect])]:
            stderr.print(f"[magenta]a fault of Polyjuice's own[/magenta] in case {result.index}: {escape(problem)}")
        self._tell()

    def triaged(self, result: Triaged, known: str) -> None:
        self._known += bool(known)
        self._counts["raw_findings"] -= bool(known)
        self._triaged += not known
        line = f"triage {result.name}: {_outcome(result, known)}"
        self._log.write(f"{line} {result.seconds:.1f} s\n")
        colour = "magenta" if result.defect else "red"
        stderr.print(f"[{colour}]triage[/{colour}] {escape(line.removeprefix('triage '))}")
        self._tell()

    def _tell(self) -> None:
        counts = self._counts
        now = time.monotonic()
        text = f"{counts['tested']} tested, {counts['skipped']} skipped, {counts['raw_findings']} findings"
        text += f" ({self._triaged} triaged)" if self._triaged else ""
        text += f", {self._known} known" if self._known else ""
        done = counts["tested"] + counts["skipped"] if self._config.cases is not None else now - self._began
        self._progress.update(self._task, completed=done, text=text)
        if not stderr.is_terminal and now - self._last > self._EVERY_S:
            self._last = now
            stderr.print(f"{now - self._began:6.0f} s  {text}")


def _outcome(result: Triaged, known: str) -> str:
    """What became of a finding in triage, in a line."""
    if result.defect:
        return f"a fault of Polyjuice's own: {result.defect}"
    if known:
        return f"known: {known}"
    if result.problem:
        return f"stays as it is: {result.problem}"
    if result.record:
        operators = " and ".join(map(str, result.record["operators"].values()))
        return f"{operators} operators left, {result.signature}"
    return f"another {result.signature}"


def _log_line(result: CaseResult) -> str:
    spent = " ".join(f"{name}={seconds:.3f}" for name, seconds in result.seconds.items() if seconds >= 0.0005)
    what = f"skipped: {result.skipped}" if result.skipped else f"pairs={result.pairs}"
    found = [f"{f.kind} {f.folder}: {f.message}" for f in result.findings]
    found += [f"known: {url}" for url in result.known]
    found += [f"flaky: {t}" for t in result.flaky] + [f"unsound: {t}" for t in result.unsound]
    found += [f"accepted: {result.accepted}"] if result.accepted else []
    found += [f"defect: {result.defect}"] if result.defect else []
    return "\n    ".join([f"case {result.index} {what} {spent}", *found])


def _print_summary(summary: dict[str, Any], store: Store) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    reasons = ", ".join(f"{n} {reason}" for reason, n in summary["skipped_reasons"].items())
    share = summary["share"]
    rows = {
        "compiler": f"{summary['compiler']} {summary['version']}",
        "tested": f"{summary['tested']} cases, {summary['pairs']} pairs, {summary['pairs_per_second']} pairs/s",
        "skipped": f"{summary['skipped']}" + (f" ({reasons})" if reasons else ""),
        "findings": f"{summary['findings']} distinct of {summary['raw_findings']}"
        + "".join(f", {n} {kind}" for kind, n in summary["by_kind"].items()),
        "time": f"{summary['elapsed_s']} s, of it {100 * (share['compile'] + share['run']):.0f} % inside the compiler",
        "folder": summary["out"],
    }
    if summary["known"]:
        rows["known"] = ", ".join(f"{n} of {url}" for url, n in summary["known"].items())
    if "accepted" in summary:
        rows["accepted"] = f"{summary['accepted']} programs with a broken constraint (the log names them)"
    if summary["unsound_variants"] or summary["defects"]:
        rows["own faults"] = f"{summary['unsound_variants']} unsound variants, {summary['defects']} internal errors"
    for name, value in rows.items():
        table.add_row(f"[bold]{name}", escape(value))
    stdout.print(table)
    for finding in store.findings():
        path = store.folder / "findings" / finding.name
        more = f" (and {len(finding.others)} more)" if finding.others else ""
        stdout.print(f"\n[red]{finding.record['kind']}[/red] {escape(str(path))}{more}")
        stdout.print(f"  {escape(finding.record['message'])}")


def _known_bugs(path: Path | None) -> str:
    """The file of known bugs, or "" where there is none."""
    default = Path(known.DEFAULT_FILE)
    return str((path or default).resolve()) if path or default.exists() else ""


def _seed_source(source: str) -> str:
    return str(Path(source).resolve()) if Path(source).is_file() else source


def _new_folder(compiler: str) -> Path:
    """campaigns/COMPILER-DATE, with a number behind it where that is taken."""
    stem = f"{compiler}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for folder in (Path("campaigns") / name for name in names) if not folder.exists())
