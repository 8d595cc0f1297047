"""``polyjuice doctor``: find problems of an installation, and say what to do."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from polyjuice import compilers
from polyjuice.cli import checks
from polyjuice.cli.checks import Check, State
from polyjuice.cli.common import OK, USAGE, JsonOption, stderr, stdout
from polyjuice.cli.options import completes
from polyjuice.cli.settings import load_settings

_COLOURS = {State.ok: "green", State.note: "dim", State.warning: "yellow", State.problem: "red"}


def doctor(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="The compilers to check.",
            show_default="all",
            autocompletion=completes("compiler"),
        ),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="The Python interpreter that has the compilers.",
            show_default="[python] of polyjuice.toml, or this one",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is wrong with this installation, and what to do.

    It looks at folders, memory, the GPU, and optional packages. Then it starts each compiler. Where the compiler's
    framework cannot be imported, it shows the error of that import.

    Exit status: 0 where at least one of the compilers can be used, 2 where none can. The controls eager and numpy do
    not count, unless they are named.
    """
    wanted = [compilers.find(name).name for name in names or compilers.names()]
    set_here = load_settings(context)
    found: list[Check] = []
    usable: list[str] = []

    def report(looked_at: Iterable[Check]) -> None:
        for check in looked_at:
            found.append(check)
            if not as_json:
                _show(check)

    report(checks.machine(os.cpu_count() or 1))
    if set_here.file:
        report([Check("settings", State.ok, str(set_here.file))])
    for name in wanted:
        with stderr.status(f"starting {name}"):
            check = checks.compiler(name, set_here.python(name, python))
        report([check])
        if check.state is State.ok:
            usable.append(name)
    report(itertools.chain(checks.gpu(usable, lambda name: set_here.python(name, python)), checks.optional()))
    count = [name for name in usable if names or not compilers.find(name).control]
    if as_json:
        print(json.dumps({"usable": usable, "checks": [asdict(check) for check in found]}))
    else:
        stdout.print(escape(f"\n{_conclusion(count)}"), highlight=False)
    sys.exit(OK if count else USAGE)


def _show(check: Check) -> None:
    colour = _COLOURS[check.state]
    stdout.print(
        f"[{colour}]{check.state:8}[/{colour}] {escape(f'{check.subject:14} {check.message}')}", highlight=False
    )


def _conclusion(usable: list[str]) -> str:
    if usable:
        return f"Usable: {', '.join(usable)}. Next: polyjuice fuzz --compiler {usable[0]} --time 2m"
    return "No compiler can be used: fix one of the problems above."
