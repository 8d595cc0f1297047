"""The options of ``polyjuice fuzz``, and the campaign that they describe.

The short help shows the options without a panel, ``--help-all`` shows all.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from polyjuice import compilers
from polyjuice.campaign.config import MAX_SKIPPED, Config
from polyjuice.campaign.schedule import LARGE, MIXED
from polyjuice.cli import complete
from polyjuice.cli.common import RulesOption, SeedOption, Usage, chosen, seconds
from polyjuice.cli.help import HelpAllOption
from polyjuice.cli.settings import Settings
from polyjuice.formats import ReadLimits
from polyjuice.inputs import PROFILES, USUAL_PROFILES, usual_profiles
from polyjuice.lower import DRAWN_OPSET, OPSETS
from polyjuice.oracles import FAILURE_ORACLES, ORACLES, USUAL_ORACLES, names, usual_oracles
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


@dataclass(frozen=True, kw_only=True)
class FuzzOptions:
    """The values of the options, which stand in the order of the help."""

    compiler: Annotated[
        str, typer.Option("--compiler", metavar="NAME", help="The compiler to test.", autocompletion=complete.compilers)
    ] = ""
    duration: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="DURATION",
            help="How long to run cases: 90s, 10m, 8h. Triage then takes half as long again, at least a minute.",
            show_default="10m without -n",
        ),
    ] = None
    cases: Annotated[int | None, typer.Option("-n", min=1, metavar="N", help="How many cases to run.")] = None
    seeds: Annotated[
        list[str] | None,
        typer.Option(
            "--seeds",
            metavar="SOURCE",
            help="Your model (MODEL.onnx, PROGRAM.pt2, module:callable; repeatable), or a strategy.",
            show_default=f"{MIXED}; {LARGE} with --nodes",
            autocompletion=complete.sources,
        ),
    ] = None
    python: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The Python interpreter that has the compiler.")
    ] = None
    rules: RulesOption = None
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many processes to run.", show_default="one per core")
    ] = None
    seed: SeedOption = 0
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The campaign's folder.", show_default="campaigns/COMPILER-DATE"),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Continue the campaign in this folder; -n and --time count from its start.",
            is_eager=True,
            callback=_as_begun,
        ),
    ] = None
    help_all: HelpAllOption = False
    nodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Operators in a generated seed graph.",
            show_default="by the compiler",
            rich_help_panel=_SEEDS,
        ),
    ] = None
    only_operator: Annotated[
        list[str] | None,
        typer.Option(
            "--only-operator",
            metavar="GLOB",
            help="Generate graphs of matching operators only (repeatable).",
            rich_help_panel=_SEEDS,
            autocompletion=complete.operators,
        ),
    ] = None
    disruptive: Annotated[
        bool,
        typer.Option(
            help="Break one constraint of each hirgen graph: the compiler must raise an error, not crash or hang.",
            rich_help_panel=_SEEDS,
        ),
    ] = False
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
    ] = None
    variants: Annotated[
        int, typer.Option(min=2, metavar="N", help="Variants of each seed graph.", rich_help_panel=_VARIANTS)
    ] = 2
    extract: Annotated[
        Extract,
        typer.Option(help="How to choose variants of a seed graph; original makes none.", rich_help_panel=_VARIANTS),
    ] = Extract.minmax
    only_rule: Annotated[
        list[str] | None,
        typer.Option(
            "--only-rule",
            metavar="GLOB",
            help="Use only matching rules (repeatable).",
            rich_help_panel=_VARIANTS,
            autocompletion=complete.rules,
        ),
    ] = None
    without_rule: Annotated[
        list[str] | None,
        typer.Option(
            "--without-rule",
            metavar="GLOB",
            help="Leave out matching rules (repeatable).",
            rich_help_panel=_VARIANTS,
            autocompletion=complete.rules,
        ),
    ] = None
    oracle: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help=f"The checks that decide what is a bug: {', '.join(names())}.",
            show_default=_DEFAULT_ORACLES,
            rich_help_panel=_JUDGING,
            autocompletion=complete.oracles,
        ),
    ] = ""
    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help=f"The values of inputs: {', '.join(PROFILES)}.",
            show_default=f"{','.join(USUAL_PROFILES)}; edge, too, for Torch",
            rich_help_panel=_JUDGING,
            autocompletion=complete.profiles,
        ),
    ] = ""
    input_sets: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How many sets of inputs of each profile each program runs on.",
            show_default="1; 4 in all where compiling takes seconds",
            rich_help_panel=_JUDGING,
        ),
    ] = None
    known_bugs: Annotated[
        Path | None,
        typer.Option(
            "--known",
            metavar=f"FILE|{known_list.NONE}",
            help="A file of known bugs, beside those that Polyjuice ships: campaigns count them and do not show them; "
            f"{known_list.NONE} shows all.",
            show_default=f"{known_list.DEFAULT_FILE}, if there is one",
            rich_help_panel=_JUDGING,
        ),
    ] = None
    triage: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="The longest time to reduce one finding, and again to bisect it; 0s does neither."
            " After the last case, triage goes on for as long as the cases took with -n, and half as long with --time."
            " --resume continues it.",
            rich_help_panel=_JUDGING,
        ),
    ] = "5m"
    device: Annotated[Device, typer.Option(help="Where programs run.", rich_help_panel=_COMPILING)] = Device.cpu
    level: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The compiler's optimization level.",
            show_default="its highest",
            rich_help_panel=_COMPILING,
        ),
    ] = ""
    timeout: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="The longest time for one compilation, and for one run.",
            rich_help_panel=_COMPILING,
        ),
    ] = 120
    pack: Annotated[
        str,
        typer.Option(
            metavar="K|auto",
            help="The most small programs to compile as one; auto chooses by the compiler.",
            rich_help_panel=_COMPILING,
        ),
    ] = "auto"
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Compile every program alone, like --pack 1.", rich_help_panel=_COMPILING),
    ] = False
    max_skipped: Annotated[
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
    ] = None
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object on standard output.", rich_help_panel=_OUTPUT)
    ] = False

    def config(self, limits: ReadLimits, set_here: Settings) -> Config:
        """The campaign that a user begins with these options. Raises Usage for a value that means nothing."""
        compiler = compilers.find(self.compiler)
        oracles = FAILURE_ORACLES if self.disruptive else usual_oracles(compiler)
        return Config(
            compiler=self.compiler,
            seeds=tuple(_seed_source(s) for s in self.seeds or [LARGE if self.nodes else MIXED]),
            cases=self.cases,
            time_s=self.time_s or (None if self.cases else 600.0),
            seed=self.seed,
            nodes=self.nodes or compiler.nodes,
            variants=self.variants,
            extract=ORIGINAL if self.disruptive else self.extract.value,
            rules=tuple(str(path.resolve()) for path in self.rules or ()),
            only_operators=tuple(self.only_operator or ()),
            only_rules=tuple(self.only_rule or ()),
            without_rules=tuple(self.without_rule or ()),
            oracles=chosen(self.oracle or ",".join(oracles), names(), "--oracle"),
            profiles=chosen(self.profile or ",".join(usual_profiles(compiler)), PROFILES, "--profile"),
            input_sets=self.input_sets or 0,
            python=set_here.python(self.compiler, self.python),
            device=self.device.value,
            level=self.level,
            workers=self.workers or os.cpu_count() or 1,
            timeout_s=self.timeout,
            opset=self.opset or DRAWN_OPSET,
            disruptive=self.disruptive,
            known=known_list.sources(self.known_bugs),
            triage_s=self.triage_s,
            pack=1 if self.plain else _pack(self.pack),
            max_skipped=self.max_skipped,
            max_elements=limits.elements,
            max_nodes=limits.nodes,
            read_timeout_s=limits.seconds,
            read_memory_gib=limits.memory_gib,
        )

    @property
    def time_s(self) -> float | None:
        """The time for cases; None if none is given. Raises Usage."""
        return seconds(self.duration) if self.duration else None

    @property
    def triage_s(self) -> float:
        """The time to reduce one finding. Raises Usage."""
        return seconds(self.triage, "--triage", zero=True)


def _pack(text: str) -> int:
    """The most programs to compile as one; 0 means the compiler's default. Raises Usage."""
    if text == "auto":
        return 0
    if not text.isdecimal() or not int(text):
        raise Usage(f"--pack {text}: give a number of programs, or auto")
    return int(text)


def _seed_source(source: str) -> str:
    return str(Path(source).resolve()) if Path(source).is_file() else source
