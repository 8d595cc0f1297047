"""The command line: thin commands over the rooms below. Standard output is for results, standard error for the rest."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from polyjuice import compilers, formats, support
from polyjuice.campaign import loop
from polyjuice.campaign.case import CaseResult, difference
from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import NoCampaign, Store
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rewriter, RuleError, load, operator_count, windows
from polyjuice.execution import Worker, probe
from polyjuice.inputs import PROFILES, make_inputs
from polyjuice.ir import GraphError
from polyjuice.ops import FRAMEWORKS, TABLE
from polyjuice.oracles import ORACLES
from polyjuice.triage import run_reproducer

OK, FINDINGS, USAGE, DEFECT, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit statuses."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

app = typer.Typer(
    help="Finds mis-compilation bugs in tensor compilers by equality saturation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
rules_app = typer.Typer(help="The rewrite rules.", no_args_is_help=True)
app.add_typer(rules_app, name="rules")
stderr = Console(stderr=True, soft_wrap=True)
stdout = Console(soft_wrap=True)


class Extract(StrEnum):
    """How variants are chosen from the e-graph."""

    minmax = "minmax"
    steps = "steps"
    random = "random"


class Device(StrEnum):
    """Where the compiled program runs."""

    cpu = "cpu"
    cuda = "cuda"


def main() -> None:
    """The entry point: mistakes of the user and of the environment are one line and status 2, our own are status 3."""
    try:
        app()
    except (EnvironmentProblem, RuleError, formats.FormatError, NoCampaign, _Usage) as problem:
        stderr.print(f"polyjuice: {escape(' '.join(str(problem).split()))}")
        sys.exit(USAGE)
    except OSError as error:  # a file in the way, a full disk
        stderr.print(f"polyjuice: {escape(f'{error.filename}: {error.strerror}' if error.filename else str(error))}")
        sys.exit(USAGE)
    except Exception:  # noqa: BLE001 - Python's own status for it is 1, which would mean findings
        traceback.print_exc()
        sys.exit(DEFECT)


class _Usage(ValueError):
    """A mistake in the options."""


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
RulesOption = Annotated[list[Path] | None, typer.Option("--rules", help="Further rule files or folders.")]
SeedOption = Annotated[int, typer.Option("--seed", help="All random choices follow from it.")]


@app.command()
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
    extract: Annotated[Extract, typer.Option(help="How variants are chosen.")] = Extract.minmax,
    rules: RulesOption = None,
    only_rule: Annotated[list[str] | None, typer.Option(help="Use only rules whose names match.")] = None,
    without_rule: Annotated[list[str] | None, typer.Option(help="Leave out rules whose names match.")] = None,
    oracle: Annotated[str, typer.Option(help="Oracles, separated by commas.")] = "metamorphic,crash",
    profile: Annotated[str, typer.Option(help="Input profiles, separated by commas.")] = "exact,normal",
    python: Annotated[Path | None, typer.Option(help="The interpreter that has the compiler.")] = None,
    device: Annotated[Device, typer.Option(help="Where to run.")] = Device.cpu,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one per core unless given.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one compilation, and for one run.")] = 120,
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
            raise _Usage("--resume continues a campaign as it was begun: give neither --out nor --compiler with it")
        version, models = _check_before_start(config, resume)
    else:
        if not compiler:
            raise _Usage(f"which compiler? --compiler is one of {', '.join(compilers.names())}")
        config = Config(
            compiler=compiler,
            seeds=tuple(_seed_source(s) for s in seeds or ["default"]),
            cases=cases,
            time_s=_seconds(duration) if duration else None if cases else 600.0,
            seed=seed,
            nodes=nodes,
            variants=variants,
            extract=extract.value,
            rules=tuple(str(path.resolve()) for path in rules or ()),
            only_rules=tuple(only_rule or ()),
            without_rules=tuple(without_rule or ()),
            oracles=_chosen(oracle, list(ORACLES), "--oracle"),
            profiles=_chosen(profile, PROFILES, "--profile"),
            python=str(_interpreter(python)),
            device=device.value,
            workers=workers or os.cpu_count() or 1,
            timeout_s=timeout,
            opset=opset,
        )
        version, models = _check_before_start(config)
        store = Store.create(out or _new_folder(compiler), config)
    try:
        models.keep(store.folder)
        status, summary = _run_campaign(config, store, version)
    except (EnvironmentProblem, formats.FormatError):
        store.abandon()
        raise
    if as_json:
        print(json.dumps(summary))
    else:
        _print_summary(summary, store)
    sys.exit(status)


def _check_before_start(config: Config, folder: Path | None = None) -> tuple[str, Seeds]:
    """Find the user's mistakes before the campaign begins; the compiler's version and the seeds."""
    try:
        seeds = Seeds(config.seeds, config.nodes, config.seed, folder)
    except ValueError as error:
        raise _Usage(str(error)) from None
    load(map(Path, config.rules), config.only_rules, config.without_rules)
    found = probe(compilers.find(config.compiler), config.python)
    if not found["available"]:
        raise EnvironmentProblem(found["reason"])
    return found["version"], seeds


def _run_campaign(config: Config, store: Store, version: str) -> tuple[int, dict[str, Any]]:
    began = time.monotonic()
    status = None
    try:
        with _Live(config, store) as live:
            loop.run(config, store, live.show)
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
    if not counts["tested"]:
        stderr.print(f"polyjuice: the campaign tested nothing; the reasons are in {escape(str(folder / 'log'))}")
        return USAGE
    return OK


class _Live:
    """Progress on standard error: a bar on a terminal, a line now and then elsewhere; and the campaign's log."""

    _EVERY_S = 15.0

    def __init__(self, config: Config, store: Store) -> None:
        self._config = config
        self._counts = store.summary()
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

    def show(self, result: CaseResult) -> None:
        counts = self._counts
        counts["tested"] += result.pairs > 0
        counts["pairs"] += result.pairs
        counts["skipped"] += bool(result.skipped)
        counts["raw_findings"] += len(result.findings)
        counts["unsound_variants"] += len(result.unsound)
        self._log.write(_log_line(result) + "\n")
        now = time.monotonic()
        text = f"{counts['tested']} tested, {counts['skipped']} skipped, {counts['raw_findings']} findings"
        done = counts["tested"] + counts["skipped"] if self._config.cases is not None else now - self._began
        self._progress.update(self._task, completed=done, text=text)
        for finding in result.findings:
            stderr.print(f"[red]finding[/red] {escape(finding.folder)}: {escape(finding.message)}")
        for problem in [*result.unsound, *filter(None, [result.defect])]:
            stderr.print(f"[magenta]a fault of Polyjuice's own[/magenta] in case {result.index}: {escape(problem)}")
        if not stderr.is_terminal and now - self._last > self._EVERY_S:
            self._last = now
            stderr.print(f"{now - self._began:6.0f} s  {text}")


def _log_line(result: CaseResult) -> str:
    spent = " ".join(f"{name}={seconds:.3f}" for name, seconds in result.seconds.items() if seconds >= 0.0005)
    what = f"skipped: {result.skipped}" if result.skipped else f"pairs={result.pairs}"
    found = [f"{f.kind} {f.folder}: {f.message}" for f in result.findings]
    found += [f"flaky: {t}" for t in result.flaky] + [f"unsound: {t}" for t in result.unsound]
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
    if summary["unsound_variants"] or summary["defects"]:
        rows["own faults"] = f"{summary['unsound_variants']} unsound variants, {summary['defects']} internal errors"
    for name, value in rows.items():
        table.add_row(f"[bold]{name}", escape(value))
    stdout.print(table)
    seen: set[str] = set()
    for finding in store.findings():
        if finding["signature"] not in seen:
            seen.add(finding["signature"])
            path = store.folder / "findings" / finding["folder"]
            stdout.print(f"\n[red]{finding['kind']}[/red] {escape(str(path))}\n  {escape(finding['message'])}")


@app.command()
def rewrite(
    model: Annotated[Path, typer.Argument(help="An ONNX model.")],
    variants: Annotated[int, typer.Option(min=2, help="How many graphs, from the smallest to the largest.")] = 2,
    rules: RulesOption = None,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(help="The folder for min.onnx, max.onnx and step-*.onnx.")] = Path("."),
    as_json: JsonOption = False,
) -> None:
    """Rewrite a model into equivalent models, with the fewest operators, the most, and steps between."""
    graph = formats.load(model)
    try:
        result = windows.rewrite(Rewriter(load(rules or ())), graph, seed, "minmax", variants)
        inputs = [make_inputs(graph, "normal", seed)]
        problems = {v.label: difference(graph, v.graph, inputs) for v in result.variants}
    except GraphError as error:
        _own_fault(f"{model}: a rule made an ill-typed graph: {error}")
    out.mkdir(parents=True, exist_ok=True)
    for variant in result.variants:
        if problems[variant.label]:
            _own_fault(f"{model}: the variant {variant.label} is not equal: {problems[variant.label]}")
        formats.save(variant.graph, out / f"{variant.label}.onnx")
    operators = {v.label: v.operators for v in result.variants}
    summary = {
        "ops_original": operator_count(result.seed),
        "ops_min": operators["min"],
        "ops_max": operators["max"],
        "enodes": result.enodes,
        "eclasses": result.eclasses,
        "iterations": result.iterations,
        "stopped_by": result.stopped_by,
        "rewrite_ms": round(1e3 * result.rewrite_s, 3),
        "extract_ms": round(1e3 * result.extract_s, 3),
        "rules": result.rules,
    }
    if as_json:
        print(json.dumps(summary))
        return
    stdout.print(
        f"{summary['ops_original']} operators: {summary['ops_min']} at least, {summary['ops_max']} at most; "
        f"{result.enodes} e-nodes in {result.eclasses} e-classes after {result.iterations} iterations "
        f"({result.stopped_by}); {len(result.rules)} rules fired"
    )
    for variant in result.variants:
        stdout.print(f"{variant.operators:6d} operators  {out / (variant.label + '.onnx')}")


def _own_fault(message: str) -> NoReturn:
    stderr.print(f"polyjuice: {escape(message)}")
    sys.exit(DEFECT)


@app.command()
def replay(finding: Annotated[Path, typer.Argument(help="A finding's folder.")]) -> None:
    """Run a finding's reproducer again: status 1 where the bug still shows, 0 where it does not."""
    if not (finding / "repro.py").is_file():
        raise _Usage(f"{finding} is not a finding's folder (there is no repro.py)")
    status, output = run_reproducer(finding, sys.executable, 120)
    stdout.print(escape(output))
    sys.exit(USAGE if status is None else status)


@app.command("compilers")
def list_compilers(
    probed: Annotated[
        list[str] | None, typer.Option("--probe", help="Try every operator and type on these compilers first.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """The compilers that can be tested, whether they can be used here, and what is known of the operators they take.

    A campaign tries each operator, element type and rank when it first meets it; --probe tries all types at once.
    """
    for name in probed or ():
        with Worker(compilers.find(name)) as worker:
            support.Support(worker.compiler, worker).probe_all()
    found = [_described(name) for name in compilers.names()]
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


def _described(name: str) -> dict[str, Any]:
    """A compiler: whether it is there, and what is known of the operators that it takes."""
    state = probe(name)
    known: dict[str, str] = {}
    if state["available"]:
        known = support.read(support.cache_file(compilers.find(name), state["version"]))
    missing: dict[str, list[str]] = {}
    for signature, reason in sorted(known.items()):
        if reason:
            missing.setdefault(reason, []).append(signature)
    taken = sum(not reason for reason in known.values())
    return {"name": name, **state, "coverage": {"probed": len(known), "taken": taken, "missing": missing}}


@app.command("ops")
def list_ops(as_json: JsonOption = False) -> None:
    """The operator table."""
    rows: list[dict[str, Any]] = [
        {
            "name": op.name,
            "domain": op.domain,
            "arity": list(op.arity),
            "dtypes": sorted({t for types in op.types.values() for t in types}),
            **{framework: not hole for framework, hole in op.holes.items()},
            "holes": {framework: hole for framework, hole in op.holes.items() if hole},
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
            stdout.print(escape(f"{row['name']} is not said in {framework}: {reason}"))


@rules_app.command("list")
def list_rules(rules: RulesOption = None, as_json: JsonOption = False) -> None:
    """All rules: name, exactness, and mathematics."""
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


@rules_app.command("show")
def show_rule(name: str, rules: RulesOption = None) -> None:
    """One rule as it stands in its file."""
    rule = next((r for r in load(rules or ()) if r.name == name), None)
    if rule is None:
        raise _Usage(f"no rule is called {name!r}: `polyjuice rules list` shows the names")
    stdout.print(f"{rule.comment}\n{escape(rule.text)}\n{rule.ruleset}, {rule.file}:{rule.line}", markup=False)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", text)
    if not match or float(match[1]) == 0:
        raise _Usage(f"--time {text}: give a number and a unit, as in 90s, 10m or 8h")
    return float(match[1]) * _UNITS[match[2] or "s"]


def _chosen(text: str, known: Sequence[str], option: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise _Usage(f"{option} {text}: choose from {', '.join(known)}")
    return names


def _interpreter(python: Path | None) -> Path:
    """The interpreter's absolute path; links are kept, for a virtual environment's python is one."""
    return Path(sys.executable) if python is None else Path(os.path.abspath(python))


def _seed_source(source: str) -> str:
    return str(Path(source).resolve()) if Path(source).is_file() else source


def _new_folder(compiler: str) -> Path:
    """campaigns/COMPILER-DATE, with a number behind it where that is taken."""
    stem = f"{compiler}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for folder in (Path("campaigns") / name for name in names) if not folder.exists())
