"""The command line: thin commands over the rooms below. Standard output is for results, standard error for the rest."""

from __future__ import annotations

import sys
import traceback

import typer
from rich.markup import escape

from polyjuice import formats
from polyjuice.campaign.store import NoCampaign
from polyjuice.cli.bisect import bisect
from polyjuice.cli.common import DEFECT, USAGE, Usage, stderr
from polyjuice.cli.fuzz import fuzz
from polyjuice.cli.graphs import generate, metrics
from polyjuice.cli.known import app as known
from polyjuice.cli.reduce import reduce
from polyjuice.cli.replay import replay
from polyjuice.cli.report import report
from polyjuice.cli.rewrite import rewrite
from polyjuice.cli.rules import app as rules
from polyjuice.cli.suite import app as suite
from polyjuice.cli.tables import list_compilers, list_ops
from polyjuice.compilers import EnvironmentProblem
from polyjuice.drawing import DrawingError, DrawingMissing
from polyjuice.egraph import RuleError
from polyjuice.generate import SolverMissing
from polyjuice.page import PageError
from polyjuice.suite.carried.harness.expected import ExpectationError
from polyjuice.suite.options import SuiteError
from polyjuice.triage import FindingError
from polyjuice.triage.known import KnownError

app = typer.Typer(
    help="Finds mis-compilation bugs in tensor compilers by equality saturation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(fuzz)
app.command()(rewrite)
app.command()(replay)
app.command()(reduce)
app.command()(bisect)
app.command()(report)
app.command()(generate)
app.command()(metrics)
app.command("compilers")(list_compilers)
app.command("ops")(list_ops)
app.add_typer(known, name="known")
app.add_typer(rules, name="rules")
app.add_typer(suite, name="suite")


#: Mistakes that the user, or the environment, has made: one line says what and where.
_THE_USERS = (
    DrawingError,
    DrawingMissing,
    EnvironmentProblem,
    ExpectationError,
    FindingError,
    KnownError,
    NoCampaign,
    PageError,
    RuleError,
    SolverMissing,
    SuiteError,
    Usage,
    formats.FormatError,
)


def main() -> None:
    """The entry point: mistakes of the user and of the environment are one line and status 2, our own are status 3."""
    try:
        app()
    except _THE_USERS as problem:
        stderr.print(f"polyjuice: {escape(' '.join(str(problem).split()))}")
        sys.exit(USAGE)
    except OSError as error:  # a file in the way, a full disk
        stderr.print(f"polyjuice: {escape(f'{error.filename}: {error.strerror}' if error.filename else str(error))}")
        sys.exit(USAGE)
    except Exception:  # noqa: BLE001 - Python's own status for it is 1, which would mean findings
        traceback.print_exc()
        sys.exit(DEFECT)
