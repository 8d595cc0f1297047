"""``polyjuice fuzz``: a campaign, its progress, and what it printed at the end."""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from polyjuice import compilers, formats
from polyjuice.campaign import coverage, loop, models
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import LARGE, MIXED, SMALL, STATEMENTS
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import Store
from polyjuice.cli import advice, complete, settings
from polyjuice.cli.campaign import CampaignProgress, print_next, print_summary
from polyjuice.cli.common import (
    DEFECT,
    FINDINGS,
    INTERRUPTED,
    OK,
    USAGE,
    RulesOption,
    SeedOption,
    Usage,
    chosen,
    interpreter,
    seconds,
    stderr,
)
from polyjuice.cli.help import HelpAllOption, examples
from polyjuice.cli.settings import Settings
from polyjuice.cli.start import installed
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule, load
from polyjuice.execution import probe
from polyjuice.generate import DISRUPTED_STRATEGY
from polyjuice.given import ORIGINAL
from polyjuice.inputs import PROFILES, USUAL_PROFILES, allowed_rulesets, usual_profiles
from polyjuice.lower import DRAWN_OPSET, OPSETS
from polyjuice.ops import matching
from polyjuice.oracles import ORACLES, USUAL_ORACLES, usual_oracles
from polyjuice.triage import known

_DEFAULT_ORACLES = f"{','.join(USUAL_ORACLES)}; alias, too, for Torch; crash with --disruptive"

_SEEDS, _VARIANTS, _JUDGING, _COMPILING, _OUTPUT = "Seed graphs", "Variants", "Judging", "Compiling", "Output"
"""The panels of `polyjuice fuzz --help-all`; options without one are in the short help."""

EXAMPLES = examples(
    ("polyjuice fuzz --compiler inductor --time 10m", "generated programs"),
    ("polyjuice fuzz --compiler onnxruntime --seeds model.onnx -n 20", "your own model"),
    ("polyjuice fuzz --resume campaigns/inductor-20261126-042018", "go on with a campaign"),
)

_CHANGEABLE = ("-n", "--time", "--workers", "--triage", "--known", "--python")
"""What of a campaign may be given anew with --resume; -n and --time are what it shall reach in all."""


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


def _as_begun(context: typer.Context, folder: Path | None) -> Path | None:
    """A campaign that is continued keeps its options: what polyjuice.toml sets is for new ones."""
    if folder:
        context.default_map = None
    return folder


def fuzz(
    context: typer.Context,
    compiler: Annotated[
        str, typer.Option("--compiler", metavar="NAME", help="The compiler to test.", autocompletion=complete.compilers)
    ] = "",
    duration: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="DURATION",
            help="How long to run cases: 90s, 10m, 8h. Triage then takes half as long again, at least a minute.",
            show_default="10m without -n",
        ),
    ] = None,
    cases: Annotated[int | None, typer.Option("-n", min=1, metavar="N", help="How many cases to run.")] = None,
    seeds: Annotated[
        list[str] | None,
        typer.Option(
            "--seeds",
            metavar="SOURCE",
            help="Your model (MODEL.onnx, PROGRAM.pt2, module:callable; repeatable), or a strategy.",
            show_default=f"{MIXED}; {LARGE} with --nodes",
            autocompletion=complete.sources,
        ),
    ] = None,
    python: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The Python interpreter that has the compiler.")
    ] = None,
    rules: RulesOption = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many processes run.", show_default="one per core")
    ] = None,
    seed: SeedOption = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The campaign's folder.", show_default="campaigns/COMPILER-DATE"),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Continue the campaign in this folder; -n and --time count from its start.",
            is_eager=True,
            callback=_as_begun,
        ),
    ] = None,
    help_all: HelpAllOption = False,
    nodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Operators in a generated seed graph.",
            show_default="what suits the compiler",
            rich_help_panel=_SEEDS,
        ),
    ] = None,
    only_operator: Annotated[
        list[str] | None,
        typer.Option(
            "--only-operator",
            metavar="GLOB",
            help="Generate graphs of matching operators alone (repeatable).",
            rich_help_panel=_SEEDS,
            autocompletion=complete.operators,
        ),
    ] = None,
    disruptive: Annotated[
        bool,
        typer.Option(
            help="Break one constraint of each hirgen graph. An error is expected, a crash or a hang is a bug.",
            rich_help_panel=_SEEDS,
        ),
    ] = False,
    opset: Annotated[
        int | None,
        typer.Option(
            min=OPSETS[0],
            max=OPSETS[-1],
            metavar="N",
            help="The opset of ONNX models.",
            show_default="drawn from the seed",
            rich_help_panel=_SEEDS,
        ),
    ] = None,
    variants: Annotated[
        int, typer.Option(min=2, metavar="N", help="Variants of each seed graph.", rich_help_panel=_VARIANTS)
    ] = 2,
    extract: Annotated[
        Extract,
        typer.Option(help="How variants are chosen; original: there are none.", rich_help_panel=_VARIANTS),
    ] = Extract.minmax,
    only_rule: Annotated[
        list[str] | None,
        typer.Option(
            "--only-rule",
            metavar="GLOB",
            help="Use matching rules alone (repeatable).",
            rich_help_panel=_VARIANTS,
            autocompletion=complete.rules,
        ),
    ] = None,
    without_rule: Annotated[
        list[str] | None,
        typer.Option(
            "--without-rule",
            metavar="GLOB",
            help="Leave out matching rules (repeatable).",
            rich_help_panel=_VARIANTS,
            autocompletion=complete.rules,
        ),
    ] = None,
    oracle: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help=f"What counts as a bug: {', '.join(ORACLES)}.",
            show_default=_DEFAULT_ORACLES,
            rich_help_panel=_JUDGING,
            autocompletion=complete.oracles,
        ),
    ] = "",
    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help=f"The values of inputs: {', '.join(PROFILES)}.",
            show_default=f"{','.join(USUAL_PROFILES)}; edge, too, for Torch",
            rich_help_panel=_JUDGING,
            autocompletion=complete.profiles,
        ),
    ] = "",
    input_sets: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Sets of inputs of each profile that each program runs on.",
            show_default="one; four in all where a compilation takes seconds",
            rich_help_panel=_JUDGING,
        ),
    ] = None,
    known_bugs: Annotated[
        Path | None,
        typer.Option(
            "--known",
            metavar=f"FILE|{known.NONE}",
            help="Known bugs, which are counted and not shown, beside those that come with Polyjuice; "
            f"{known.NONE}: hide nothing.",
            show_default=f"{known.DEFAULT_FILE}, if there is one",
            rich_help_panel=_JUDGING,
        ),
    ] = None,
    triage: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How long a finding is reduced, and how long it is bisected, at most; 0s: findings stay as they are."
            " With -n, triage goes on after the cases for as long as they took, with --time for half of that time;"
            " --resume continues it.",
            rich_help_panel=_JUDGING,
        ),
    ] = "5m",
    device: Annotated[Device, typer.Option(help="Where programs run.", rich_help_panel=_COMPILING)] = Device.cpu,
    level: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The compiler's optimization level.",
            show_default="its highest",
            rich_help_panel=_COMPILING,
        ),
    ] = "",
    timeout: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="How long one compilation may take, and one run.",
            rich_help_panel=_COMPILING,
        ),
    ] = 120,
    pack: Annotated[
        str,
        typer.Option(
            metavar="K|auto",
            help="How many small programs are compiled as one at most; auto: as many as suits the compiler.",
            rich_help_panel=_COMPILING,
        ),
    ] = "auto",
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Compile every program alone, as --pack 1.", rich_help_panel=_COMPILING),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on standard output.", rich_help_panel=_OUTPUT)
    ] = False,
) -> None:
    """Find bugs in a compiler: equivalent programs must give equal results.

    Exit status: 0 nothing found, 1 something found, 2 a mistake in the options or the environment,
    3 a defect of Polyjuice itself, 130 interrupted (continue with --resume).
    """
    given = _given(context)
    if resume:
        store, config = Store.open(resume)
        if fixed := given.difference(_CHANGEABLE, ("--resume", "--json")):
            message = f"--resume continues a campaign as it was begun: leave out {', '.join(sorted(fixed))}"
            raise Usage(f"{message} (what may change: {', '.join(_CHANGEABLE)})")
        store.claim()
        if cases or duration:
            config = replace(config, cases=cases, time_s=seconds(duration) if duration else None)
        config = replace(
            config,
            workers=workers or config.workers,
            triage_s=seconds(triage, "--triage", zero=True) if "--triage" in given else config.triage_s,
            known=known.sources(known_bugs) if known_bugs else config.known,
            python=str(interpreter(python)) if python else config.python,
        )
        version, sources, rules_used = _check_before_start(config, resume)
        store.set_config(config)
    else:
        if not compiler:
            raise Usage(_which_compiler(settings.of(context)))
        if given & {"-n", "--time"}:  # a budget on the command line replaces that of polyjuice.toml
            cases, duration = cases if "-n" in given else None, duration if "--time" in given else None
        config = Config(
            compiler=compiler,
            seeds=tuple(_seed_source(s) for s in seeds or [LARGE if nodes else MIXED]),
            cases=cases,
            time_s=seconds(duration) if duration else None if cases else 600.0,
            seed=seed,
            nodes=nodes or compilers.find(compiler).nodes,
            variants=variants,
            extract=ORIGINAL if disruptive else extract.value,
            rules=tuple(str(path.resolve()) for path in rules or ()),
            only_operators=tuple(only_operator or ()),
            only_rules=tuple(only_rule or ()),
            without_rules=tuple(without_rule or ()),
            oracles=chosen(oracle or _usual(compiler, disruptive), list(ORACLES), "--oracle"),
            profiles=chosen(profile or ",".join(usual_profiles(compilers.find(compiler))), PROFILES, "--profile"),
            input_sets=input_sets or 0,
            python=settings.of(context).python(compiler, python),
            device=device.value,
            level=level,
            workers=workers or os.cpu_count() or 1,
            timeout_s=timeout,
            opset=opset or DRAWN_OPSET,
            disruptive=disruptive,
            known=known.sources(known_bugs),
            triage_s=seconds(triage, "--triage", zero=True),
            pack=1 if plain else _pack(pack),
        )
        version, sources, rules_used = _check_before_start(config)
        store = Store.create(out or _new_folder(compiler), config)
    try:
        sources.keep(store.folder)
        status, summary = _run_campaign(config, rules_used, sources, store, version)
    except (EnvironmentProblem, formats.FormatError):
        store.abandon()
        raise
    if as_json:
        print(json.dumps(summary))
    else:
        print_summary(summary, config, store)
        if status in (OK, FINDINGS):
            print_next(advice.next_steps(summary, config, sources.generated), found=status == FINDINGS)
    sys.exit(status)


def _which_compiler(set_here: Settings) -> str:
    """What is said where no compiler is named: those that are installed, and the others."""
    found = installed(set_here)
    others = [name for name in compilers.names() if name not in found]
    message = f"which compiler? Name one that is installed with --compiler: {', '.join(found)}"
    return f"{message} (not installed: {', '.join(others)})" if others else message


def _usual(compiler: str, disruptive: bool) -> str:
    """The oracles that judge unless the user names others."""
    return "crash" if disruptive else ",".join(usual_oracles(compilers.find(compiler)))


def _given(context: typer.Context) -> set[str]:
    """The options that the user gave, by their first spelling."""
    sources = ((p.opts[0], context.get_parameter_source(p.name)) for p in context.command.params if p.name)
    return {option for option, source in sources if source and source.name == "COMMANDLINE"}


def _check_before_start(config: Config, folder: Path | None = None) -> tuple[str, Seeds, tuple[Rule, ...]]:
    """Find the user's mistakes before the campaign begins; the compiler's version, the seeds, and the rules."""
    try:
        operators = matching(config.only_operators)
        seeds = Seeds(config.seeds, config.nodes, config.seed, folder, operators=operators, timeout_s=config.timeout_s)
    except ValueError as error:
        raise Usage(str(error)) from None
    if config.only_operators and not seeds.generated:
        raise Usage("--only-operator: the graphs of --seeds have the operators that they have; leave it out")
    for problem in seeds.problems.values():
        stderr.print(f"polyjuice: {escape(problem)}", soft_wrap=True)
    _check_choices(config)
    allowed = allowed_rulesets(config.profiles)
    rules = load(map(Path, config.rules), config.only_rules, config.without_rules)
    rules = tuple(rule for rule in rules if rule.ruleset in allowed)
    if not rules:
        raise Usage(f"--profile {','.join(config.profiles)}: no rule that was chosen holds on its values")
    known.of(config.known)
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
    if STATEMENTS in config.seeds and compiler.format != "torch":
        raise Usage(
            f"--seeds {STATEMENTS}: these programs write into their inputs, and no {compiler.format} program can: "
            f"choose {SMALL}, or a compiler of Torch programs"
        )
    for oracle in (ORACLES[name] for name in config.oracles):
        if refusal := oracle.refusal(compiler):
            raise Usage(f"--oracle {oracle.name}: {refusal}")
        if oracle.least > 1 and config.extract == ORIGINAL:
            raise Usage(f"--oracle {oracle.name} compares variants, and --extract {ORIGINAL} makes none")


def _run_campaign(
    config: Config, rules: Sequence[Rule], seeds: Seeds, store: Store, version: str
) -> tuple[int, dict[str, Any]]:
    """Run the cases and the triage; the exit status, and the summary."""
    status = None
    store.set_meta("version", version)
    try:
        with CampaignProgress(config, store) as live:
            loop.run(config, rules, store, live)
    except KeyboardInterrupt:
        stderr.print(f"interrupted; continue with: polyjuice fuzz --resume {store.folder}")
        status = INTERRUPTED
    except RuntimeError as error:
        stderr.print(f"polyjuice: {escape(str(error))}")
        status = DEFECT
    counts = store.summary()
    spent = store.spent(config.workers)
    summary = {
        "compiler": config.compiler,
        "version": version,
        "seed": config.seed,
        **counts,
        **({"accepted": store.accepted()} if config.disruptive else {}),
        **({"sizes": sizes} if (sizes := store.sizes()) else {}),
        **_coverage(config, store, version),
        **_tested(config, rules, seeds, store),
        "elapsed_s": round(spent["elapsed_s"], 2),
        **({"probe_s": round(spent["probe_s"], 2)} if spent["probe_s"] >= 0.005 else {}),
        "pairs_per_second": _rate(counts["pairs"], spent["busy_s"]),
        "programs_per_second": _rate(counts["programs"], spent["busy_s"]),
        "out": str(store.folder),
    }
    if counts["tested"] and (silent := summary.get("rules_never_fired")):
        stderr.print(f"polyjuice: {escape(advice.warning(silent, counts['tested']))}")
    return (_status(counts, store.folder) if status is None else status), summary


def _tested(config: Config, rules: Sequence[Rule], seeds: Seeds, store: Store) -> dict[str, Any]:
    """What was tested of what is the user's own: rules that never fired, and models."""
    fired = store.rules()
    silent = advice.unfired(rules, config, fired)
    compiler = compilers.find(config.compiler)
    own = [] if seeds.generated else models.covered(seeds, store.programs(), compiler, len(fired))
    return ({"rules_never_fired": silent} if silent else {}) | ({"models": own} if own else {})


def _rate(count: int, busy_s: float) -> float:
    """How many a second of the time in which cases were run.

    That is the wall-clock time that processes spent on cases, divided by the number of processes. It includes making
    graphs, compiling, running and judging. It does not include confirming findings, triage, asking what the compiler
    takes, and waiting for work.
    """
    return round(count / busy_s, 3) if busy_s > 0 else 0.0


def _coverage(config: Config, store: Store, version: str) -> dict[str, Any]:
    """What small programs covered, if there were any that ran."""
    found = store.covered()
    return {"coverage": coverage.of_campaign(found, config, version)} if found else {}


def _status(counts: dict[str, Any], folder: Path) -> int:
    if counts["unsound_variants"] or counts["defects"]:
        return DEFECT
    if counts["raw_findings"]:
        return FINDINGS
    if not counts["tested"]:
        stderr.print(f"polyjuice: the campaign tested nothing; the reasons are in {escape(str(folder / 'log'))}")
        return USAGE
    return OK


def _pack(text: str) -> int:
    """How many programs are compiled as one, 0 for as many as suits the compiler. Raises Usage."""
    if text == "auto":
        return 0
    if not text.isdecimal() or not int(text):
        raise Usage(f"--pack {text}: give a number of programs, or auto")
    return int(text)


def _seed_source(source: str) -> str:
    return str(Path(source).resolve()) if Path(source).is_file() else source


def _new_folder(compiler: str) -> Path:
    """campaigns/COMPILER-DATE, with a number behind it where that is taken."""
    stem = f"{compiler}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for folder in (Path("campaigns") / name for name in names) if not folder.exists())
