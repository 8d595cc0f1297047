"""The options of ``polyjuice fuzz``. The short help shows those without a panel, ``--help-all`` shows all."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from polyjuice.campaign.config import MAX_SKIPPED
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
    int | None, typer.Option(min=1, metavar="N", help="How many processes to run.", show_default="one per core")
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
        show_default="by the compiler",
        rich_help_panel=_SEEDS,
    ),
]
OnlyOperator = Annotated[
    list[str] | None,
    typer.Option(
        "--only-operator",
        metavar="GLOB",
        help="Generate graphs of matching operators only (repeatable).",
        rich_help_panel=_SEEDS,
        autocompletion=complete.operators,
    ),
]
DisruptiveOption = Annotated[
    bool,
    typer.Option(
        help="Break one constraint of each hirgen graph: the compiler must raise an error, not crash or hang.",
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
    typer.Option(help="How to choose variants of a seed graph; original makes none.", rich_help_panel=_VARIANTS),
]
OnlyRule = Annotated[
    list[str] | None,
    typer.Option(
        "--only-rule",
        metavar="GLOB",
        help="Use only matching rules (repeatable).",
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
        help=f"The checks that decide what is a bug: {', '.join(names())}.",
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
        help="How many sets of inputs of each profile each program runs on.",
        show_default="1; 4 in all where compiling takes seconds",
        rich_help_panel=_JUDGING,
    ),
]
KnownOption = Annotated[
    Path | None,
    typer.Option(
        "--known",
        metavar=f"FILE|{known_list.NONE}",
        help="A file of known bugs, beside those that Polyjuice ships: campaigns count them and do not show them; "
        f"{known_list.NONE} shows all.",
        show_default=f"{known_list.DEFAULT_FILE}, if there is one",
        rich_help_panel=_JUDGING,
    ),
]
TriageOption = Annotated[
    str,
    typer.Option(
        metavar="DURATION",
        help="The longest time to reduce one finding, and again to bisect it; 0s does neither."
        " After the last case, triage goes on for as long as the cases took with -n, and half as long with --time."
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
        help="The longest time for one compilation, and for one run.",
        rich_help_panel=_COMPILING,
    ),
]
PackOption = Annotated[
    str,
    typer.Option(
        metavar="K|auto",
        help="The most small programs to compile as one; auto chooses by the compiler.",
        rich_help_panel=_COMPILING,
    ),
]
PlainOption = Annotated[
    bool,
    typer.Option("--plain", help="Compile every program alone, like --pack 1.", rich_help_panel=_COMPILING),
]
MaxSkippedOption = Annotated[
    float | None,
    typer.Option(
        "--max-skipped",
        min=0,
        max=100,
        metavar="PERCENT",
        help="How many percent of the cases may be skipped. With more, the status is 2, or 1 with findings.",
        show_default=f"{MAX_SKIPPED:g}; 100 with --only-rule",
        rich_help_panel=_OUTPUT,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output.", rich_help_panel=_OUTPUT)
]
