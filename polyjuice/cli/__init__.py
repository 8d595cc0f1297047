"""The command line: thin commands over the other packages. Results go to standard output, the rest to stderr."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, NoReturn, cast

import typer
from rich.markup import escape

from polyjuice import cache, interrupts, ops
from polyjuice.campaign.config import Usage
from polyjuice.campaign.lock import Running
from polyjuice.campaign.store import NoCampaign
from polyjuice.cli.checks import doctor
from polyjuice.cli.common import (
    DEFECT,
    FIND,
    INSTALLATION,
    INTERRUPTED,
    MODELS,
    OK,
    USAGE,
    WORK,
    ShortHelp,
    examples,
    misused,
    reflow,
    stderr,
)
from polyjuice.cli.coverage import coverage
from polyjuice.cli.findings import bisect, reduce, replay, report
from polyjuice.cli.fuzz import EXAMPLES, fuzz
from polyjuice.cli.graphs import generate, metrics, rewrite
from polyjuice.cli.known import app as known
from polyjuice.cli.rules import app as rules
from polyjuice.cli.settings import app as config
from polyjuice.cli.settings import start
from polyjuice.cli.status import status
from polyjuice.cli.suite import app as suite
from polyjuice.cli.tables import list_compilers, list_ops
from polyjuice.compilers import EnvironmentProblem, default
from polyjuice.drawing import DrawingError, DrawingMissing
from polyjuice.egraph import RuleError
from polyjuice.execution.space import NoSpace, shortage
from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import SolverMissing
from polyjuice.page import PageError
from polyjuice.stored_files import StoredError
from polyjuice.suite.carried.harness.driver import ExpectationError
from polyjuice.suite.cases import SuiteError
from polyjuice.triage import FindingError
from polyjuice.triage.known_list import KnownError
from polyjuice.wording import visible

app = typer.Typer(pretty_exceptions_enable=False)
app.callback(
    invoke_without_command=True,
    help="Polyjuice finds mis-compilation bugs in tensor compilers.",
    epilog=examples(
        (f"polyjuice fuzz --compiler {default('onnx').name} --time 2m", "find bugs for two minutes"),
        (f"polyjuice fuzz --compiler {default('torch').name} --seeds model.pt2 -n 20", "test your own model"),
        ("polyjuice report campaigns/NAME", "look at what was found"),
    ),
)(start)
app.command(cls=ShortHelp, epilog=EXAMPLES, rich_help_panel=FIND)(fuzz)
app.command(rich_help_panel=FIND)(status)
app.add_typer(suite, name="suite", rich_help_panel=FIND)
app.command(rich_help_panel=WORK)(report)
app.command(rich_help_panel=WORK)(coverage)
app.command(rich_help_panel=WORK)(replay)
app.command(rich_help_panel=WORK)(reduce)
app.command(rich_help_panel=WORK)(bisect)
app.add_typer(known, name="known", rich_help_panel=WORK)
app.command(rich_help_panel=MODELS)(rewrite)
app.command(rich_help_panel=MODELS)(generate)
app.command(rich_help_panel=MODELS)(metrics)
app.add_typer(rules, name="rules", rich_help_panel=MODELS)
app.command(rich_help_panel=INSTALLATION)(doctor)
app.add_typer(config, name="config", rich_help_panel=INSTALLATION)
app.command("compilers", rich_help_panel=INSTALLATION)(list_compilers)
app.command("ops", rich_help_panel=INSTALLATION)(list_ops)


#: Mistakes of the user or the environment: one line says what is wrong and where.
_THE_USERS = (
    DrawingError,
    DrawingMissing,
    EnvironmentProblem,
    ExpectationError,
    FindingError,
    KnownError,
    NoCampaign,
    NoSpace,
    PageError,
    RuleError,
    Running,
    SolverMissing,
    StoredError,
    SuiteError,
    Usage,
    graph_files.FormatError,
)


_UsageError = cast(type[Exception], typer.BadParameter.__base__)
"""The base class of Typer's errors for command lines that it cannot parse; Typer exports only one of them."""


def command() -> Any:
    """The whole command line, as a Click command."""
    whole = typer.main.get_command(app)
    reflow(whole)
    return whole


def main() -> NoReturn:
    """Run the command line, and end the process with its status. SIGTERM and SIGHUP end it as SIGINT does, with 130."""
    interrupts.handle()
    try:
        run()
    finally:
        interrupts.ignore()


def run() -> NoReturn:
    """Run the command line, and raise SystemExit with its status.

    Mistakes of the user or the environment give one line and status 2, our own faults status 3.
    """
    try:
        if ops.PROBLEMS:
            raise EnvironmentProblem(ops.PROBLEMS[0])
        sys.exit(command()(prog_name="polyjuice", standalone_mode=False) or OK)
    except _UsageError as problem:
        _refuse(misused(problem))
    except _THE_USERS as problem:
        _refuse(str(problem))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except Exception as problem:  # noqa: BLE001 - Python's own status would be 1, which means findings
        if full := shortage(problem):
            _refuse(str(full))
        if isinstance(problem, OSError) and _is_of_the_user(problem):  # for example a file in the way
            _refuse(f"{os.fsdecode(problem.filename)}: {problem.strerror}")
        code = getattr(problem, "sqlite_errorname", "")
        if code.startswith("SQLITE_IOERR"):
            _refuse(f"the campaign's database: {problem}; see to its disk, then continue with --resume")
        if code.startswith("SQLITE_CORRUPT") or (not code and isinstance(problem, sqlite3.OperationalError)):
            _refuse(f"the campaign's database is damaged ({problem}); restore it, or begin a new campaign")
        sys.stderr.write(visible(traceback.format_exc()))
        sys.exit(DEFECT)


def _is_of_the_user(error: OSError) -> bool:
    """Whether an error is about a path named, here, or in the folders for files. Any other is a defect of Polyjuice."""
    if not isinstance(error.filename, (str, bytes)):
        return False
    path = Path(os.path.abspath(os.fsdecode(error.filename)))
    named = [argument.partition("=")[2] or argument for argument in sys.argv[1:]]
    theirs = [Path.cwd(), Path(tempfile.gettempdir()), cache.folder(), *(Path(os.path.abspath(one)) for one in named)]
    return any(map(path.is_relative_to, theirs)) and not path.is_relative_to(Path(__file__).parents[1])


def _refuse(message: str) -> NoReturn:
    if line := " ".join(message.split()):
        stderr.print(f"polyjuice: {escape(line)}")
    sys.exit(USAGE)
