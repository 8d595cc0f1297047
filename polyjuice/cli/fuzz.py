"""``polyjuice fuzz``: start a campaign, or continue one."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from polyjuice import compilers, interrupts
from polyjuice.campaign import coverage, loop, pool
from polyjuice.campaign.config import OPTIONS, Config, Usage
from polyjuice.campaign.loop import FalseRule
from polyjuice.campaign.pool import NoProcess
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import Store, writers
from polyjuice.cli import before
from polyjuice.cli.before import Checked
from polyjuice.cli.common import DEFECT, FINDINGS, INTERRUPTED, OK, USAGE, HelpAllOption, examples, stderr
from polyjuice.cli.options import takes
from polyjuice.cli.progress import CampaignProgress
from polyjuice.cli.settings import Settings, installed, load_settings
from polyjuice.cli.summary import (
    covered_models,
    finished,
    next_steps,
    not_loaded,
    print_next,
    print_summary,
    rate,
    too_little,
    unfired,
    warning,
)
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule
from polyjuice.execution.space import NoSpace
from polyjuice.frameworks.limits import reading_within
from polyjuice.frameworks.onnx import graph_files

EXAMPLES = examples(
    (f"polyjuice fuzz --compiler {compilers.default('torch').name} --time 10m", "generated programs"),
    (f"polyjuice fuzz --compiler {compilers.default('onnx').name} --seeds model.onnx -n 20", "your own model"),
    (f"polyjuice fuzz --resume campaigns/{compilers.default('torch').name}-20261126-042018", "go on with a campaign"),
)


def _as_begun(context: typer.Context, folder: Path | None) -> Path | None:
    """Ignore polyjuice.toml for a campaign that is continued, because it keeps its options."""
    if folder:
        context.default_map = None
    return folder


@takes("given", OPTIONS)
def fuzz(
    context: typer.Context,
    given: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The campaign's folder.", show_default="campaigns/COMPILER-DATE")
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
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on standard output.", rich_help_panel="Output")
    ] = False,
) -> None:
    """Find bugs in a compiler: equivalent programs must give equal results.

    Exit status: 0 no findings; 1 findings; 2 a mistake in the options or the environment; 3 a defect of Polyjuice
    itself; 130 interrupted (continue with --resume). A campaign without findings that tested too little ends with 2.
    """
    pool.warm()
    begun = _continue(context, given, resume, out) if resume else _begin(context, given, out)
    store, config, (seeds, rules) = begun
    with reading_within(config.read_limits), interrupts.deferred():  # the campaign allows interrupts where it waits
        try:
            seeds.keep(store.folder)
            status, summary = _run(config, rules, seeds, store)
        except (EnvironmentProblem, NoSpace, graph_files.FormatError):
            store.abandon()
            raise
        if as_json:
            print(json.dumps(summary))
        else:
            print_summary(summary, config, store)
            if status in (OK, FINDINGS):
                print_next(next_steps(summary, config, seeds.generated), found=status == FINDINGS)
        sys.exit(status)


def _begin(context: typer.Context, given: dict[str, Any], out: Path | None) -> tuple[Store, Config, Checked]:
    """Store a new campaign, once its configuration is checked. Raises Usage, and what `before.check` raises."""
    set_here, named = load_settings(context), _named(context)
    compiler = given["compiler"]
    if not compiler:
        raise Usage(_which_compiler(set_here))
    if named & {"cases", "time_s"}:  # a budget on the command line replaces that of polyjuice.toml
        given |= dict.fromkeys({"cases", "time_s"} - named)
    config = Config.of({**given, "python": given["python"] or set_here.python(compiler)})
    checked = before.check(config)
    store = Store.create(out or _new_folder(compiler), config)
    context.call_on_close(store.close)
    return store, config, checked


def _continue(
    context: typer.Context, given: dict[str, Any], folder: Path, out: Path | None
) -> tuple[Store, Config, Checked]:
    """Open a stored campaign, and check its configuration with the options that may change it. Raises as `_begin`."""
    store, begun = Store.open(folder)
    context.call_on_close(store.close)
    if out is not None and out.resolve() != folder.resolve():
        raise Usage(f"--out {out}: --resume {folder} continues the campaign in its own folder: leave out --out")
    named = {name: given[name] for name in _named(context) & OPTIONS.keys()}
    begun.refuse_changes({name: value for name, value in named.items() if not OPTIONS[name].resumable}, folder)
    store.claim()
    config = begun.changed({name: value for name, value in named.items() if OPTIONS[name].resumable})
    checked = before.check(config, folder)
    store.set_config(config)
    if note := finished(store, config):
        stderr.print(escape(f"polyjuice: {note}"))
    return store, config, checked


def _which_compiler(set_here: Settings) -> str:
    found = installed(set_here)
    others = [name for name in compilers.names() if name not in found]
    message = f"which compiler? Name an installed one with --compiler: {', '.join(found)}"
    return f"{message} (not installed: {', '.join(others)})" if others else message


def _named(context: typer.Context) -> set[str]:
    names = (parameter.name for parameter in context.command.params if parameter.name)
    sources = {name: context.get_parameter_source(name) for name in names}
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}


def _new_folder(compiler: str) -> Path:
    stem = f"{compiler}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(folder for folder in (Path("campaigns") / name for name in names) if not folder.exists())


def _run(config: Config, rules: Sequence[Rule], seeds: Seeds, store: Store) -> tuple[int, dict[str, Any]]:
    status = None
    if others := writers(store.folder):
        advised = "who does so can make Polyjuice run their code"
        stderr.print(f"polyjuice: {escape(str(store.folder))}: {others}, and {advised}")
    try:
        with CampaignProgress(config, store) as live:
            loop.run(config, rules, store, live)
    except KeyboardInterrupt:
        stderr.print(f"interrupted; continue with: polyjuice fuzz --resume {store.folder}")
        status = INTERRUPTED
    except NoSpace as problem:
        stderr.print(f"polyjuice: {escape(f'{problem} and continue with: polyjuice fuzz --resume {store.folder}')}")
        status = USAGE
    except (FalseRule, NoProcess) as error:
        stderr.print(f"polyjuice: {escape(str(error))}")
        status = DEFECT
    counts = store.summary()
    spent = store.spent()
    version = store.meta("version") or ""
    summary = {
        "compiler": config.compiler,
        "version": version,
        "seed": config.seed,
        **counts,
        **({"accepted": store.accepted()} if config.disruptive else {}),
        **({"sizes": sizes} if (sizes := store.sizes()) else {}),
        **({"coverage": coverage.of_campaign(found, config, version)} if (found := store.covered()) else {}),
        **_tested(config, rules, seeds, store),
        "elapsed_s": round(spent["elapsed_s"], 2),
        **({"probe_s": round(spent["probe_s"], 2)} if spent["probe_s"] >= 0.005 else {}),
        "pairs_per_second": rate(counts["pairs"], spent["busy_s"]),
        "programs_per_second": rate(counts["programs"], spent["busy_s"]),
        "out": str(store.folder),
    }
    if counts["tested"] and (silent := summary.get("rules_never_fired")):
        stderr.print(f"polyjuice: {escape(warning(silent, counts['tested']))}")
    return (_status(counts, too_little(counts, store, config)) if status is None else status), summary


def _tested(config: Config, rules: Sequence[Rule], seeds: Seeds, store: Store) -> dict[str, Any]:
    fired = store.rules()
    silent = unfired(rules, config, fired)
    compiler = compilers.find(config.compiler)
    own = [] if seeds.generated else covered_models(seeds, store.programs(), compiler, len(fired))
    lost = [] if seeds.generated else not_loaded(seeds, store.cases(), own)
    found = {"rules_never_fired": silent, "models": own, "not_loaded": lost}
    return {key: value for key, value in found.items() if value}


def _status(counts: dict[str, Any], too_little: str) -> int:
    """The exit status of a campaign that was not interrupted; ``too_little`` says why it tested too little, if so."""
    if too_little:
        stderr.print(escape(f"polyjuice: {too_little}"))
    if counts["unsound_variants"] or counts["defects"]:
        return DEFECT
    if counts["raw_findings"]:
        return FINDINGS
    return USAGE if too_little else OK
