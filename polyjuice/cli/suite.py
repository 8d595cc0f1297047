"""``polyjuice suite``: regression suites of equivalent pairs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from polyjuice import compilers
from polyjuice.campaign.config import Usage, chosen
from polyjuice.cli.common import (
    FINDINGS,
    INTERRUPTED,
    OK,
    USAGE,
    FindingArgument,
    JsonOption,
    own_fault,
    stderr,
    stdout,
)
from polyjuice.cli.options import RulesOption, SeedOption, WorkersOption, flag, reads_models
from polyjuice.cli.settings import load_settings
from polyjuice.execution import probe
from polyjuice.frameworks import registry
from polyjuice.generate import STRATEGIES
from polyjuice.suite import building, cases, running
from polyjuice.suite.building import Options
from polyjuice.suite.carried.harness import judging
from polyjuice.wording import counted

_GUARDS = [name for format in registry.in_suites() for name in compilers.suite_guards(format)]

app = typer.Typer(help="Build and run regression suites, with or without Polyjuice.", no_args_is_help=True)


@app.command("build")
def build(
    count: Annotated[int, typer.Option(min=1, metavar="N", help="How many cases.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for the suite.")],
    formats: Annotated[str, typer.Option(metavar="NAME,...", help="Formats of the programs.")] = ",".join(
        registry.in_suites()
    ),
    seed: SeedOption = 0,
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Operators in a seed graph.")] = 10,
    strategy: Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(STRATEGIES)}.")] = "default",
    rules: RulesOption = None,
    asked: Annotated[
        str | None,
        typer.Option(
            "--compiler",
            metavar="NAME,...|none",
            help="Compilers that must support all cases; none asks no compiler.",
            show_default=f"{', '.join(_GUARDS)}: those installed",
        ),
    ] = None,
    traced: Annotated[
        str,
        typer.Option("--passes", metavar="NAME,...", help="Compilers: prefer pairs on which their passes differ."),
    ] = "",
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Build a suite of equivalent pairs that differ in as much as possible."""
    which = chosen(formats, registry.names(), "--formats")
    options = Options(
        count=count,
        formats=which,
        seed=seed,
        nodes=nodes,
        strategy=chosen(strategy, STRATEGIES, "--strategy")[0],
        rules=tuple(str(path.resolve()) for path in rules or ()),
        compilers=_usual(which) if asked is None else _named(asked, which, "--compiler"),
        traced=_named(traced, which, "--passes") if traced else (),
    )
    began = time.monotonic()
    with _interruptible(), stderr.status("") as status:
        built = building.build(options, out, workers or os.cpu_count() or 1, status.update)
    summary = {
        "out": str(out),
        **vars(built),
        "formats": list(which),
        "compilers": list(options.compilers),
        "seed": seed,
        "unsound": len(built.unsound),
        "elapsed_s": round(time.monotonic() - began, 2),
    }
    if as_json:
        print(json.dumps(summary))
    else:
        tested = options.compilers[0] if asked and options.compilers else compilers.default(which[0]).name
        covers = ", ".join(f"{n} {kind}" for kind, n in built.covers.items())
        stdout.print(
            escape(
                f"{counted(built.cases, 'case')} of {counted(built.candidates, 'candidate')} in {out}, "
                f"{summary['elapsed_s']} s; "
                f"they cover {covers}\nrun it: pytest {out} --compiler {tested}"
            )
        )
    if built.unsound:
        unsound = counted(len(built.unsound), "pair")
        own_fault(f"the suite lacks {unsound} whose programs are not equal: {built.unsound[0]}")


@app.command("run")
def run(
    context: typer.Context,
    suite: Annotated[Path, typer.Argument(metavar="DIR", help="A suite's folder.")],
    compiler: Annotated[str, flag("compiler")],
    python: Annotated[Path | None, flag("python")] = None,
    timeout: Annotated[float, flag("timeout_s")] = 120,
    workers: WorkersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a suite in one compiler.

    Exit status: 0 where all is as expected, 1 where a case fails or passes unexpectedly.
    """
    interpreter = load_settings(context).python(compiler, python)
    began = time.monotonic()
    version, results = running.run(suite, interpreter, timeout, compiler, workers or os.cpu_count() or 1)
    counts: Counter[str] = Counter(dict.fromkeys(running.STATUSES, 0))
    rows = []
    with _interruptible(), stderr.status("") as status:
        for result in results:
            counts[result.status] += 1
            status.update(", ".join(f"{n} {name}" for name, n in counts.items() if n))
            if result.status != judging.PASSED:
                rows.append(vars(result))
            if not as_json and result.status in running.WRONG:
                stdout.print(f"[red]{result.status}[/red] {result.case}\n  {escape(result.message)}")
    summary = {
        "suite": str(suite),
        "compiler": compiler,
        "version": version,
        "cases": sum(counts.values()),
        **{name.replace(" ", "_"): n for name, n in counts.items()},
        "elapsed_s": round(time.monotonic() - began, 2),
        "results": rows,
    }
    if as_json:
        print(json.dumps(summary))
    else:
        outcome = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
        cases = counted(sum(counts.values()), "case")
        stdout.print(escape(f"{compiler} {version}: {outcome} of {cases}, {summary['elapsed_s']} s"))
    if counts[judging.SKIPPED] == summary["cases"]:
        stderr.print(f"polyjuice: {compiler} takes no case of {escape(str(suite))}: {escape(rows[0]['message'])}")
        sys.exit(USAGE)
    sys.exit(FINDINGS if any(counts[name] for name in running.WRONG) else OK)


@app.command("add")
@reads_models
def add(
    finding: FindingArgument,
    suite: Annotated[Path, typer.Argument(metavar="DIR", help="A suite's folder.")],
    url: Annotated[
        str, typer.Option(metavar="URL", help="Where the bug is reported: the case is expected to fail.")
    ] = "",
) -> None:
    """Add a finding to a suite, as a case.

    With --url the case is expected to fail in the finding's compiler, from its version on.
    """
    added = cases.add(finding, suite, url)
    formats = ", ".join(added.formats)
    stdout.print(escape(f"{suite / added.case}: the programs of {finding}, for {formats}"))
    for format, why in added.refused.items():
        stdout.print(escape(f"not for {format}: {why}"))


@contextmanager
def _interruptible() -> Iterator[None]:
    """End the command on an interrupt; its partial results are lost."""
    try:
        yield
    except KeyboardInterrupt:
        stderr.print("interrupted")
        sys.exit(INTERRUPTED)


def _usual(formats: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for name in (name for format in formats for name in compilers.suite_guards(format)):
        answer = probe(name)
        if answer["available"]:
            found.append(name)
        else:
            stderr.print(f"polyjuice: the suite may hold what {name} does not support: {escape(answer['reason'])}")
    return tuple(found)


def _named(text: str, formats: tuple[str, ...], option: str) -> tuple[str, ...]:
    """The compilers in a list; each must take one of the formats. Raises Usage."""
    if text == "none":
        return ()
    names = chosen(text, compilers.names(), option)
    for name in names:
        if compilers.find(name).format not in formats:
            raise Usage(f"{option} {name}: it takes {compilers.find(name).format} programs; add that to --formats")
    return names
