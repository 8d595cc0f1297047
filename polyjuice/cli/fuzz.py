"""``polyjuice fuzz``: start a campaign, or continue one."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Set
from dataclasses import replace
from pathlib import Path

import typer
from rich.markup import escape

from polyjuice import compilers, formats, interrupts
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store
from polyjuice.cli import advice, before, campaign_run, resuming, settings
from polyjuice.cli.before import Checked
from polyjuice.cli.common import FINDINGS, OK, Usage, interpreter, stderr
from polyjuice.cli.fuzz_options import FuzzOptions
from polyjuice.cli.help import examples
from polyjuice.cli.option_groups import takes
from polyjuice.cli.read_options import reads_models
from polyjuice.cli.settings import Settings
from polyjuice.cli.start import installed
from polyjuice.cli.summary import print_next, print_summary
from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution.space import NoSpace
from polyjuice.formats import ReadLimits
from polyjuice.triage import known_list

EXAMPLES = examples(
    (f"polyjuice fuzz --compiler {compilers.default('torch').name} --time 10m", "generated programs"),
    (f"polyjuice fuzz --compiler {compilers.default('onnx').name} --seeds model.onnx -n 20", "your own model"),
    (f"polyjuice fuzz --resume campaigns/{compilers.default('torch').name}-20261126-042018", "go on with a campaign"),
)


@reads_models
@takes("options", FuzzOptions)
def fuzz(context: typer.Context, options: FuzzOptions, limits: ReadLimits) -> None:
    """Find bugs in a compiler: equivalent programs must give equal results.

    Exit status: 0 no findings; 1 findings; 2 a mistake in the options or the environment; 3 a defect of Polyjuice
    itself; 130 interrupted (continue with --resume). A campaign without findings that tested too little ends with 2.
    """
    prepare = _continue if options.resume else _begin
    store, config, (version, seeds, rules) = prepare(context, options, limits)
    with interrupts.deferred():  # the campaign allows interrupts where it waits
        try:
            seeds.keep(store.folder)
            status, summary = campaign_run.run(config, rules, seeds, store, version)
        except (EnvironmentProblem, NoSpace, formats.FormatError):
            store.abandon()
            raise
        if options.as_json:
            print(json.dumps(summary))
        else:
            print_summary(summary, config, store)
            if status in (OK, FINDINGS):
                print_next(advice.next_steps(summary, config, seeds.generated), found=status == FINDINGS)
        sys.exit(status)


def _begin(context: typer.Context, options: FuzzOptions, limits: ReadLimits) -> tuple[Store, Config, Checked]:
    """Store a new campaign, once its configuration is checked. Raises Usage, and what `before.check` raises."""
    set_here, named = settings.of(context), _named(context)
    if not options.compiler:
        raise Usage(_which_compiler(set_here))
    if named & {"-n", "--time"}:  # a budget on the command line replaces that of polyjuice.toml
        cases = options.cases if "-n" in named else None
        duration = options.duration if "--time" in named else None
        options = replace(options, cases=cases, duration=duration)
    config = options.config(limits, set_here)
    checked = before.check(config)
    store = Store.create(options.out or _new_folder(options.compiler), config)
    context.call_on_close(store.close)
    return store, config, checked


def _continue(context: typer.Context, options: FuzzOptions, limits: ReadLimits) -> tuple[Store, Config, Checked]:
    """Open a stored campaign, and check its configuration with the options that may change it. Raises as `_begin`."""
    assert options.resume
    store, begun = Store.open(options.resume)
    context.call_on_close(store.close)
    named = _named(context)
    compiler, disruptive = options.compiler or begun.compiler, options.disruptive or begun.disruptive
    asked = replace(options, compiler=compiler, disruptive=disruptive)
    resuming.refuse_changes(
        named, options.resume, options.out, begun, lambda: asked.config(limits, settings.of(context))
    )
    store.claim()
    config = _changed(begun, options, named)
    checked = before.check(config, options.resume)
    store.set_config(config)
    if note := resuming.finished(store, config):
        stderr.print(escape(f"polyjuice: {note}"))
    return store, config, checked


def _changed(config: Config, options: FuzzOptions, named: Set[str]) -> Config:
    """The configuration of a stored campaign, with the options that --resume may change. Raises Usage."""
    if options.cases or options.duration:
        config = replace(config, cases=options.cases, time_s=options.time_s)
    return replace(
        config,
        workers=options.workers or config.workers,
        triage_s=options.triage_s if "--triage" in named else config.triage_s,
        known=known_list.sources(options.known_bugs) if options.known_bugs else config.known,
        python=str(interpreter(options.python)) if options.python else config.python,
        max_skipped=config.max_skipped if options.max_skipped is None else options.max_skipped,
    )


def _which_compiler(set_here: Settings) -> str:
    """A question for the compiler, with the installed ones and the others."""
    found = installed(set_here)
    others = [name for name in compilers.names() if name not in found]
    message = f"which compiler? Name an installed one with --compiler: {', '.join(found)}"
    return f"{message} (not installed: {', '.join(others)})" if others else message


def _named(context: typer.Context) -> set[str]:
    """The options that the user gave, by their first spelling."""
    sources = ((p.opts[0], context.get_parameter_source(p.name)) for p in context.command.params if p.name)
    return {option for option, source in sources if source and source.name == "COMMANDLINE"}


def _new_folder(compiler: str) -> Path:
    """The folder campaigns/COMPILER-DATE, with a number after it if that exists."""
    stem = f"{compiler}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for folder in (Path("campaigns") / name for name in names) if not folder.exists())
