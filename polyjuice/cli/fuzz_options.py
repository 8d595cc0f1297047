"""The options of ``polyjuice fuzz``. The short help shows those without a panel, ``--help-all`` shows all."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from polyjuice.campaign.kinds import LARGE, MIXED
from polyjuice.cli import complete
from polyjuice.inputs import PROFILES, USUAL_PROFILES
from polyjuice.lower import OPSETS
from polyjuice.oracles import FAILURE_ORACLES, ORACLES, USUAL_ORACLES, names
from polyjuice.triage import known_list
from polyjuice.user_models import ORIGINAL

_SEEDS, _VARIANTS, _JUDGING, _COMPILING, _OUTPUT = "Seed graphs", "Variants", "Judging", "Compiling", "Output"
"""The panels."""

_DEFAULT_ORACLES = "; ".join(
    [
        ",".join(USUAL_ORACLES),
        *(
            f"{oracle.name}, too, for {' and '.join(map(str.capitalize, oracle.formats))}"
            for oracle in ORACLES.values()
            if oracle.usual and oracle.formats
        ),
        f"{','.join(FAILURE_ORACLES)} with --disruptive",
    ]
)


class Extract(StrEnum):
    """How to choose variants from the e-graph."""

    minmax = "minmax"
    steps = "steps"
    random = "random"
    original = ORIGINAL


class Device(StrEnum):
    """The device of the compiled program."""

    cpu = "cpu"
    cuda = "cuda"


def _as_begun(context: typer.Context, folder: Path | None) -> Path | None:
    """Ignore polyjuice.toml for a campaign that is continued, because it keeps its options."""
    if folder:
        context.default_map = None
    return folder


CompilerOption = Annotated[
    str, typer.Option("--compiler", metavar="NAME", help="The compiler to test.", autocompletion=complete.compilers)
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="DURATION",
        help="How long to run cases: 90s, 10m, 8h. Triage then takes half as long again, at least a minute.",
        show_default="10m without -n",
    ),
]
CasesOption = Annotated[int | None, typer.Option("-n", min=1, metavar="N", help="How many cases to run.")]
SeedsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--seeds",
        metavar="SOURCE",
        help="Your model (MODEL.onnx, PROGRAM.pt2, module:callable; repeatable), or a strategy.",
        show_default=f"{MIXED}; {LARGE} with --nodes",
        autocompletion=complete.sources,
    ),
]
PythonOption = Annotated[
    Path | None, typer.Option(metavar="PATH", help="The Python interpreter that has the compiler.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How many processes run.", show_default="one per core")
]
OutOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The campaign's folder.", show_default="campaigns/COMPILER-DATE"),
]
ResumeOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Continue the campaign in this folder; -n and --time count from its start.",
        is_eager=True,
        callback=_as_begun,
    ),
]
NodesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Operators in a generated seed graph.",
        show_default="what suits the compiler",
        rich_help_panel=_SEEDS,
    ),
]
OnlyOperator = Annotated[
    list[str] | None,
    typer.Option(
        "--only-operator",
        metavar="GLOB",
        help="Generate graphs of matching operators alone (repeatable).",
        rich_help_panel=_SEEDS,
        autocompletion=complete.operators,
    ),
]
DisruptiveOption = Annotated[
    bool,
    typer.Option(
        help="Break one constraint of each hirgen graph. An error is expected, a crash or a hang is a bug.",
        rich_help_panel=_SEEDS,
    ),
]
OpsetOption = Annotated[
    int | None,
    typer.Option(
        min=OPSETS[0],
        max=OPSETS[-1],
        metavar="N",
        help="The opset of ONNX models.",
        show_default="drawn from the seed",
        rich_help_panel=_SEEDS,
    ),
]
VariantsOption = Annotated[
    int, typer.Option(min=2, metavar="N", help="Variants of each seed graph.", rich_help_panel=_VARIANTS)
]
ExtractOption = Annotated[
    Extract,
    typer.Option(help="How variants are chosen; original: there are none.", rich_help_panel=_VARIANTS),
]
OnlyRule = Annotated[
    list[str] | None,
    typer.Option(
        "--only-rule",
        metavar="GLOB",
        help="Use matching rules alone (repeatable).",
        rich_help_panel=_VARIANTS,
        autocompletion=complete.rules,
    ),
]
WithoutRule = Annotated[
    list[str] | None,
    typer.Option(
        "--without-rule",
        metavar="GLOB",
        help="Leave out matching rules (repeatable).",
        rich_help_panel=_VARIANTS,
        autocompletion=complete.rules,
    ),
]
OracleOption = Annotated[
    str,
    typer.Option(
        metavar="NAME,...",
        help=f"What counts as a bug: {', '.join(names())}.",
        show_default=_DEFAULT_ORACLES,
        rich_help_panel=_JUDGING,
        autocompletion=complete.oracles,
    ),
]
ProfileOption = Annotated[
    str,
    typer.Option(
        metavar="NAME,...",
        help=f"The values of inputs: {', '.join(PROFILES)}.",
        show_default=f"{','.join(USUAL_PROFILES)}; edge, too, for Torch",
        rich_help_panel=_JUDGING,
        autocompletion=complete.profiles,
    ),
]
InputSetsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Sets of inputs of each profile that each program runs on.",
        show_default="one; four in all where a compilation takes seconds",
        rich_help_panel=_JUDGING,
    ),
]
KnownOption = Annotated[
    Path | None,
    typer.Option(
        "--known",
        metavar=f"FILE|{known_list.NONE}",
        help="Known bugs, which are counted and not shown, beside those that come with Polyjuice; "
        f"{known_list.NONE}: hide nothing.",
        show_default=f"{known_list.DEFAULT_FILE}, if there is one",
        rich_help_panel=_JUDGING,
    ),
]
TriageOption = Annotated[
    str,
    typer.Option(
        metavar="DURATION",
        help="How long a finding is reduced, and how long it is bisected, at most; 0s: findings stay as they are."
        " With -n, triage goes on after the cases for as long as they took, with --time for half of that time;"
        " --resume continues it.",
        rich_help_panel=_JUDGING,
    ),
]
DeviceOption = Annotated[Device, typer.Option(help="Where programs run.", rich_help_panel=_COMPILING)]
LevelOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The compiler's optimization level.",
        show_default="its highest",
        rich_help_panel=_COMPILING,
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option(
        min=1,
        metavar="SECONDS",
        help="How long one compilation may take, and one run.",
        rich_help_panel=_COMPILING,
    ),
]
PackOption = Annotated[
    str,
    typer.Option(
        metavar="K|auto",
        help="How many small programs are compiled as one at most; auto: as many as suits the compiler.",
        rich_help_panel=_COMPILING,
    ),
]
PlainOption = Annotated[
    bool,
    typer.Option("--plain", help="Compile every program alone, as --pack 1.", rich_help_panel=_COMPILING),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output.", rich_help_panel=_OUTPUT)
]
