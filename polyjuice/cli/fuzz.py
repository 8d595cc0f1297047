"""``polyjuice fuzz``: start a campaign, or continue one."""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import typer
from rich.markup import escape

from polyjuice import compilers, formats, interrupts, oracles
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import LARGE, MIXED
from polyjuice.campaign.store import Store
from polyjuice.cli import advice, before, campaign_run, resuming, settings
from polyjuice.cli import fuzz_options as options
from polyjuice.cli.common import (
    FINDINGS,
    OK,
    RulesOption,
    SeedOption,
    Usage,
    chosen,
    interpreter,
    seconds,
    stderr,
)
from polyjuice.cli.help import HelpAllOption, examples
from polyjuice.cli.read_options import reads_models
from polyjuice.cli.settings import Settings
from polyjuice.cli.start import installed
from polyjuice.cli.summary import print_next, print_summary
from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution.space import NoSpace
from polyjuice.formats import ReadLimits
from polyjuice.inputs import PROFILES, usual_profiles
from polyjuice.lower import DRAWN_OPSET
from polyjuice.oracles import FAILURE_ORACLES
from polyjuice.triage import known_list
from polyjuice.user_models import ORIGINAL

EXAMPLES = examples(
    (f"polyjuice fuzz --compiler {compilers.default('torch').name} --time 10m", "generated programs"),
    (f"polyjuice fuzz --compiler {compilers.default('onnx').name} --seeds model.onnx -n 20", "your own model"),
    (f"polyjuice fuzz --resume campaigns/{compilers.default('torch').name}-20261126-042018", "go on with a campaign"),
)


@reads_models
def fuzz(
    context: typer.Context,
    compiler: options.CompilerOption = "",
    duration: options.TimeOption = None,
    cases: options.CasesOption = None,
    seeds: options.SeedsOption = None,
    python: options.PythonOption = None,
    rules: RulesOption = None,
    workers: options.WorkersOption = None,
    seed: SeedOption = 0,
    out: options.OutOption = None,
    resume: options.ResumeOption = None,
    help_all: HelpAllOption = False,
    nodes: options.NodesOption = None,
    only_operator: options.OnlyOperator = None,
    disruptive: options.DisruptiveOption = False,
    opset: options.OpsetOption = None,
    variants: options.VariantsOption = 2,
    extract: options.ExtractOption = options.Extract.minmax,
    only_rule: options.OnlyRule = None,
    without_rule: options.WithoutRule = None,
    oracle: options.OracleOption = "",
    profile: options.ProfileOption = "",
    input_sets: options.InputSetsOption = None,
    known_bugs: options.KnownOption = None,
    triage: options.TriageOption = "5m",
    device: options.DeviceOption = options.Device.cpu,
    level: options.LevelOption = "",
    timeout: options.TimeoutOption = 120,
    pack: options.PackOption = "auto",
    plain: options.PlainOption = False,
    max_skipped: options.MaxSkippedOption = None,
    as_json: options.Json = False,
    limits: ReadLimits = ReadLimits(),  # noqa: B008 - the options replace it
) -> None:
    """Find bugs in a compiler: equivalent programs must give equal results.

    Exit status: 0 no findings; 1 findings; 2 a mistake in the options or the environment; 3 a defect of Polyjuice
    itself; 130 interrupted (continue with --resume). A campaign without findings that tested too little ends with 2.
    """
    named = _named(context)

    def begun(compiler: str, disruptive: bool) -> Config:
        return Config(
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
            oracles=chosen(oracle or _usual(compiler, disruptive), oracles.names(), "--oracle"),
            profiles=chosen(profile or ",".join(usual_profiles(compilers.find(compiler))), PROFILES, "--profile"),
            input_sets=input_sets or 0,
            python=settings.of(context).python(compiler, python),
            device=device.value,
            level=level,
            workers=workers or os.cpu_count() or 1,
            timeout_s=timeout,
            opset=opset or DRAWN_OPSET,
            disruptive=disruptive,
            known=known_list.sources(known_bugs),
            triage_s=seconds(triage, "--triage", zero=True),
            pack=1 if plain else _pack(pack),
            max_elements=limits.elements,
            max_nodes=limits.nodes,
            read_timeout_s=limits.seconds,
            read_memory_gib=limits.memory_gib,
            max_skipped=max_skipped,
        )

    if resume:
        store, config = Store.open(resume)
        context.call_on_close(store.close)
        resuming.refuse_changes(
            named, resume, out, config, lambda: begun(compiler or config.compiler, disruptive or config.disruptive)
        )
        store.claim()
        if cases or duration:
            config = replace(config, cases=cases, time_s=seconds(duration) if duration else None)
        config = replace(
            config,
            workers=workers or config.workers,
            triage_s=seconds(triage, "--triage", zero=True) if "--triage" in named else config.triage_s,
            known=known_list.sources(known_bugs) if known_bugs else config.known,
            python=str(interpreter(python)) if python else config.python,
            max_skipped=config.max_skipped if max_skipped is None else max_skipped,
        )
        version, sources, rules_used = before.check(config, resume)
        store.set_config(config)
        if note := resuming.finished(store, config):
            stderr.print(escape(f"polyjuice: {note}"))
    else:
        if not compiler:
            raise Usage(_which_compiler(settings.of(context)))
        if named & {"-n", "--time"}:  # a budget on the command line replaces that of polyjuice.toml
            cases, duration = cases if "-n" in named else None, duration if "--time" in named else None
        config = begun(compiler, disruptive)
        version, sources, rules_used = before.check(config)
        store = Store.create(out or _new_folder(compiler), config)
        context.call_on_close(store.close)
    with interrupts.deferred():  # the campaign allows interrupts where it waits
        try:
            sources.keep(store.folder)
            status, summary = campaign_run.run(config, rules_used, sources, store, version)
        except (EnvironmentProblem, NoSpace, formats.FormatError):
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
    """A question for the compiler, with the installed ones and the others."""
    found = installed(set_here)
    others = [name for name in compilers.names() if name not in found]
    message = f"which compiler? Name an installed one with --compiler: {', '.join(found)}"
    return f"{message} (not installed: {', '.join(others)})" if others else message


def _usual(compiler: str, disruptive: bool) -> str:
    """The default oracles."""
    return ",".join(FAILURE_ORACLES if disruptive else oracles.usual_oracles(compilers.find(compiler)))


def _named(context: typer.Context) -> set[str]:
    """The options that the user gave, by their first spelling."""
    sources = ((p.opts[0], context.get_parameter_source(p.name)) for p in context.command.params if p.name)
    return {option for option, source in sources if source and source.name == "COMMANDLINE"}


def _pack(text: str) -> int:
    """The most programs to compile as one; 0 means the compiler's default. Raises Usage."""
    if text == "auto":
        return 0
    if not text.isdecimal() or not int(text):
        raise Usage(f"--pack {text}: give a number of programs, or auto")
    return int(text)


def _seed_source(source: str) -> str:
    return str(Path(source).resolve()) if Path(source).is_file() else source


def _new_folder(compiler: str) -> Path:
    """The folder campaigns/COMPILER-DATE, with a number after it if that exists."""
    stem = f"{compiler}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for folder in (Path("campaigns") / name for name in names) if not folder.exists())
