"""The options of ``polyjuice fuzz``, one entry each: the fields of a campaign's configuration.

An entry is all that an option needs: the command line, its help and completion, ``polyjuice.toml``, ``polyjuice config
show`` and the check of ``--resume`` follow from it. The configuration is stored with the campaign and passed to every
process.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_origin

from polyjuice import compilers
from polyjuice.campaign.kinds import GENERATING, LARGE, MIXED
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import RULES_PER_GRAPH, Budget, load
from polyjuice.frameworks.limits import ReadLimits
from polyjuice.frameworks.lowering import DRAWN_OPSET, OPSETS
from polyjuice.frameworks.outline import FUNCTIONS
from polyjuice.frameworks.user_model import SEED_GRAPH
from polyjuice.inputs import PROFILES, USUAL_PROFILES, usual_profiles
from polyjuice.ops import TABLE
from polyjuice.oracles import FAILURE_ORACLES, ORACLES, USUAL_ORACLES, names, usual_oracles
from polyjuice.session import Conditions
from polyjuice.stored_files import mismatch
from polyjuice.triage import known_list

MAX_SKIPPED = 20.0
"""The most cases that a campaign may skip by default, in percent. Usual campaigns skip 0 to 3 percent."""

_SEEDS, _VARIANTS, _JUDGING, _COMPILING, _OUTPUT = "Seed graphs", "Variants", "Judging", "Compiling", "Output"
_LIMITS = "Limits of models"
"""The panels of ``polyjuice fuzz --help-all``. The short help shows the options without a panel."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

Given = Mapping[str, Any]
"""What the command line or ``polyjuice.toml`` give, by field; None where they give nothing."""


class Usage(ValueError):
    """A mistake in the options."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """An option: how the command line shows it, what it takes, and how that becomes the value of a field.

    It ``takes`` a value of this type, which ``read`` converts; its second argument says where the value stands, for the
    message of Usage. If it is not given, it has its default ``given``. Without one, the field has the ``usual`` value,
    which may depend on the other options. ``shown`` describes that default. ``least`` and ``most`` bound a number.
    ``complete`` returns the names that a shell completes.

    --resume may change an option that is ``resumable``. ``polyjuice.toml`` may set one that is ``in_file``, and sets a
    ``shared`` one for other commands, too. Its ``paths`` are relative to the file: of a value that is one, or (with
    "if there") of one that names a file. A ``listed`` one takes names with commas.
    """

    flag: str
    help: str
    takes: Any = str
    read: Callable[[Any, str], Any] = lambda value, where: value
    given: Any = None
    usual: Callable[[Given], Any] | None = None
    metavar: str | None = None
    shown: str | None = None
    panel: str | None = None
    least: float | None = None
    most: float | None = None
    choices: Sequence[str] = ()
    complete: Callable[[], Iterable[str]] | None = None
    resumable: bool = False
    in_file: bool = True
    shared: bool = False
    paths: str = ""
    listed: bool = False

    @property
    def key(self) -> str:
        """Its name in ``polyjuice.toml``."""
        return self.flag.lstrip("-")

    @property
    def repeatable(self) -> bool:
        """Whether it may be given several times."""
        return get_origin(self.takes) is list


def option(default: Any, flag: str, help: str, **more: Any) -> Any:
    """Return a field with this default and an `Option`."""
    return field(default=default, metadata={"option": Option(flag=flag, help=help, **more)})


def seconds(text: str, where: str = "--time", *, zero: bool = False) -> float:
    """Return the seconds of a duration such as 90s, 10m or 8h; 0s only where ``zero`` is allowed. Raises Usage."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if not match:
        raise Usage(f"{where} {text}: give a number and a unit, as in 90s, 10m or 8h")
    if float(match[1]) == 0 and not zero:
        raise Usage(f"{where} {text}: give a time above zero, as in 90s, 10m or 8h")
    return float(match[1]) * _UNITS[match[2]]


def chosen(text: str, known: Sequence[str], where: str) -> tuple[str, ...]:
    """Return the names in a list with commas, without duplicates. Raises Usage for an unknown name, or for none."""
    found = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not found or not {*found} <= {*known}:
        raise Usage(f"{where} {text}: choose from {', '.join(known)}")
    return found


def _pack(text: str, where: str) -> int:
    if text == "auto":
        return 0
    if not text.isdecimal() or not int(text):
        raise Usage(f"{where} {text}: give a number of programs, or auto")
    return int(text)


def _sources(texts: Sequence[str], where: str) -> tuple[str, ...]:
    return tuple(str(Path(text).resolve()) if Path(text).is_file() else text for text in texts)


def _tuple(values: Iterable[Any], where: str) -> tuple[Any, ...]:
    return tuple(values)


def _rule_names() -> list[str]:
    return [rule.name for rule in load(())]


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


@dataclass(frozen=True, kw_only=True)
class Config:
    """A campaign's options, in the order of the help; paths are absolute.

    ``time_s`` are the seconds after which no case begins, and ``cases`` the number of cases; one of them is None.
    ``triage_s`` is 0 where findings are not reduced and bisected. ``pack`` is 0 for the compiler's default.
    """

    compiler: str = option(
        MISSING, "--compiler", "The compiler to test.", given="", metavar="NAME", shared=True, complete=compilers.names,
        read=lambda text, where: chosen(text, compilers.names(), where)[0],
    )  # fmt: skip
    time_s: float | None = option(
        None, "--time", "How long to run cases: 90s, 10m, 8h. Triage then takes half as long again, at least a minute.",
        metavar="DURATION", read=seconds, usual=lambda given: None if given["cases"] else 600.0,
        shown="10m without -n", resumable=True,
    )  # fmt: skip
    cases: int | None = option(
        None, "-n", "How many cases to run.", takes=int, metavar="N", least=1, resumable=True
    )  # fmt: skip
    seeds: tuple[str, ...] = option(
        (LARGE,), "--seeds", "Your model (MODEL.onnx, PROGRAM.pt2, module:callable; repeatable), or a strategy.",
        takes=list[str], metavar="SOURCE", read=_sources, usual=lambda given: (LARGE if given["nodes"] else MIXED,),
        shown=f"{MIXED}; {LARGE} with --nodes", complete=lambda: GENERATING, paths="if there",
    )  # fmt: skip
    python: str = option(
        sys.executable, "--python", "The Python interpreter that has the compiler.", takes=Path, metavar="PATH",
        read=lambda path, where: os.path.abspath(path), resumable=True, in_file=False,
    )  # fmt: skip
    rules: tuple[str, ...] = option(
        (), "--rules", "Rules of your own: a file or a folder (repeatable).", takes=list[Path], metavar="PATH",
        read=lambda paths, where: tuple(str(path.resolve()) for path in paths), shared=True, paths="always",
    )  # fmt: skip
    targets: tuple[str, ...] = option(
        (), "--targets", "Files of patterns that your compiler looks for, beside those of Polyjuice (repeatable).",
        takes=list[Path], metavar="FILE", read=lambda paths, where: tuple(str(path.resolve()) for path in paths),
        panel=_SEEDS, paths="always",
    )  # fmt: skip
    workers: int = option(
        1, "--workers", "How many processes to run.", takes=int, metavar="N", least=1, shown="one per core",
        usual=lambda given: 0 if given["cluster"] else os.cpu_count() or 1, resumable=True, shared=True,
    )  # fmt: skip
    cluster: str = option(
        "", "--cluster", "Run on a Ray cluster; auto is that of this machine.", metavar="auto|ADDRESS|none",
        panel=_COMPILING, shown="none", read=lambda text, where: "" if text == "none" else text, resumable=True,
    )  # fmt: skip
    seed: int = option(0, "--seed", "The seed of all random choices.", takes=int, given=0, metavar="N")
    nodes: int = option(
        10, "--nodes", "Operators in a generated seed graph.", takes=int, metavar="N", least=1, panel=_SEEDS,
        usual=lambda given: compilers.find(given["compiler"]).nodes, shown="by the compiler",
    )  # fmt: skip
    only_operators: tuple[str, ...] = option(
        (), "--only-operator", "Generate graphs of matching operators only (repeatable).", takes=list[str],
        metavar="GLOB", panel=_SEEDS, read=_tuple, complete=lambda: (op.qualified for op in TABLE.values()),
    )  # fmt: skip
    disruptive: bool = option(
        False, "--disruptive", "Break one constraint of each hirgen graph: the compiler must raise an error, not crash "
        "or hang.", takes=bool, given=False, panel=_SEEDS, in_file=False,
    )  # fmt: skip
    opset: int = option(
        DRAWN_OPSET, "--opset", "The opset of ONNX models.", takes=int, metavar="N", least=OPSETS[0], most=OPSETS[-1],
        shown="drawn from the seed", panel=_SEEDS,
    )  # fmt: skip
    variants: int = option(
        2, "--variants", "Variants of each seed graph.", takes=int, given=2, metavar="N", least=2, panel=_VARIANTS
    )  # fmt: skip
    extract: str = option(
        "minmax", "--extract", "How to choose variants of a seed graph: by their numbers of operators; targets also "
        "writes in patterns that the compiler looks for; functions moves a part of the graph into a function; original "
        "makes none.", given="targets",
        choices=("targets", "minmax", "steps", "difference", "random", FUNCTIONS, SEED_GRAPH), panel=_VARIANTS,
    )  # fmt: skip
    enodes: int = option(
        Budget.enodes, "--enodes", "The most e-nodes in the e-graph of a seed graph; 8 times its own, if that is more.",
        takes=int, given=Budget.enodes, metavar="N", least=1, panel=_VARIANTS, shared=True,
    )  # fmt: skip
    iterations: int = option(
        Budget.iterations, "--iterations", "The most rounds in which rules are applied to an e-graph.", takes=int,
        given=Budget.iterations, metavar="N", least=1, panel=_VARIANTS, shared=True,
    )  # fmt: skip
    rules_per_graph: int = option(
        RULES_PER_GRAPH, "--rules-per-graph", "The most rules for a seed graph, drawn among those that match; 0: all.",
        takes=int, metavar="N", least=0, panel=_VARIANTS, shared=True, shown=f"{RULES_PER_GRAPH}; all with --only-rule",
        usual=lambda given: 0 if given["only_rules"] else RULES_PER_GRAPH,
    )  # fmt: skip
    only_rules: tuple[str, ...] = option(
        (), "--only-rule", "Use only matching rules (repeatable).", takes=list[str], metavar="GLOB", panel=_VARIANTS,
        read=_tuple, complete=_rule_names,
    )  # fmt: skip
    without_rules: tuple[str, ...] = option(
        (), "--without-rule", "Leave out matching rules (repeatable).", takes=list[str], metavar="GLOB",
        panel=_VARIANTS, read=_tuple, complete=_rule_names,
    )  # fmt: skip
    oracles: tuple[str, ...] = option(
        USUAL_ORACLES, "--oracle", f"The checks that decide what is a bug: {', '.join(names())}.", metavar="NAME,...",
        read=lambda text, where: chosen(text, names(), where), shown=_DEFAULT_ORACLES, panel=_JUDGING, complete=names,
        usual=lambda given: (
            FAILURE_ORACLES if given["disruptive"] else usual_oracles(compilers.find(given["compiler"]))
        ), listed=True,
    )  # fmt: skip
    profiles: tuple[str, ...] = option(
        USUAL_PROFILES, "--profile", f"The values of inputs: {', '.join(PROFILES)}.", metavar="NAME,...",
        read=lambda text, where: chosen(text, PROFILES, where), panel=_JUDGING, complete=lambda: PROFILES,
        usual=lambda given: usual_profiles(compilers.find(given["compiler"])), listed=True,
        shown=f"{','.join(USUAL_PROFILES)}; edge, too, for Torch",
    )  # fmt: skip
    input_sets: int = option(
        0, "--input-sets", "How many sets of inputs of each profile each program runs on.", takes=int, metavar="N",
        least=1, shown="1; 4 in all where compiling takes seconds", panel=_JUDGING,
    )  # fmt: skip
    known: tuple[str, ...] = option(
        (), "--known", "A file of known bugs, in addition to those that Polyjuice ships: campaigns count them and do "
        f"not report them; with {known_list.NONE}, no bug is known.", takes=Path, metavar=f"FILE|{known_list.NONE}",
        panel=_JUDGING, read=lambda path, where: known_list.sources(path), usual=lambda given: known_list.sources(),
        shown=f"{known_list.DEFAULT_FILE}, if there is one", resumable=True, paths="always",
    )  # fmt: skip
    show_known: bool = option(
        False, "--show-known", "Report known bugs as findings too, marked with their address.", takes=bool,
        given=False, panel=_JUDGING, resumable=True,
    )  # fmt: skip
    triage_s: float = option(
        300.0, "--triage", "The longest time to reduce one finding, and again to bisect it; 0s does neither. After the "
        "last case, triage goes on for as long as the cases took with -n, and half as long with --time. --resume "
        "continues it.", given="5m", metavar="DURATION", panel=_JUDGING, resumable=True,
        read=lambda text, where: seconds(text, where, zero=True),
    )  # fmt: skip
    device: str = option(
        "cpu", "--device", "Where programs run.", given="cpu", choices=("cpu", "cuda"), panel=_COMPILING
    )  # fmt: skip
    level: str = option(
        "", "--level", "The compiler's optimization level.", metavar="NAME", shown="its highest", panel=_COMPILING
    )  # fmt: skip
    timeout_s: float = option(
        120.0, "--timeout", "The longest time for one compilation, and for one run.", takes=float, given=120,
        metavar="SECONDS", least=1, panel=_COMPILING, shared=True,
    )  # fmt: skip
    pack: int = option(
        0, "--pack", "The most small programs to compile as one; auto chooses by the compiler.", given="auto",
        metavar="K|auto", read=_pack, panel=_COMPILING,
    )  # fmt: skip
    max_skipped: float | None = option(
        None, "--max-skipped", "Exit 2 if more than PERCENT of cases are skipped (1 with findings).", takes=float,
        metavar="PERCENT", least=0, most=100, shown=f"{MAX_SKIPPED:g}; 100 with --only-rule", panel=_OUTPUT,
        resumable=True,
    )  # fmt: skip
    max_elements: int = option(
        ReadLimits.elements, "--max-elements", "The most elements of each input and result; all together may have 16 "
        "times as many.", takes=int, given=ReadLimits.elements, metavar="N", least=1, panel=_LIMITS, shared=True,
    )  # fmt: skip
    max_nodes: int = option(
        ReadLimits.nodes, "--max-nodes", "The most nodes of a model, with those of its functions.", takes=int,
        given=ReadLimits.nodes, metavar="N", least=1, panel=_LIMITS, shared=True,
    )  # fmt: skip
    read_timeout_s: float = option(
        ReadLimits.seconds, "--read-timeout", "How long reading a model may compute.", takes=float,
        given=ReadLimits.seconds, metavar="SECONDS", least=1, panel=_LIMITS, shared=True,
    )  # fmt: skip
    read_memory_gib: float = option(
        ReadLimits.memory_gib, "--read-memory", "How much memory reading a model may take, in GiB.", takes=float,
        given=ReadLimits.memory_gib, metavar="GIB", least=1, panel=_LIMITS, shared=True,
    )  # fmt: skip

    @classmethod
    def of(cls, given: Given) -> Config:
        """Return the configuration of a new campaign. Raises Usage for a value that means nothing."""
        compilers.find(given["compiler"])
        values = {name: one.usual(given) for name, one in OPTIONS.items() if one.usual}
        config = cls(**values | _read(given, OPTIONS))
        return replace(config, extract=SEED_GRAPH) if config.disruptive else config

    def changed(self, given: Given) -> Config:
        """Return the configuration with other values of resumable options; ``given`` has no others. Raises Usage."""
        values = _read(given, given)
        if values.keys() & {"cases", "time_s"}:  # one replaces the other
            values = {"cases": None, "time_s": None} | values
        if "cluster" in values and (usual := OPTIONS["workers"].usual):  # as many processes as there are processors
            values = {"workers": usual(values)} | values
        return replace(self, **values)

    def refuse_changes(self, given: Given, folder: Path) -> None:
        """Raise Usage if an option has another value than the campaign in ``folder`` began with, and must not."""
        for name, now in _read(given, given).items():
            before = getattr(self, name)
            if before != now:
                changeable = ", ".join(one.flag for one in OPTIONS.values() if one.resumable)
                raise Usage(
                    f"{OPTIONS[name].flag}: the campaign in {folder} began with {_shown(before)}, not {_shown(now)}: "
                    f"leave it out, or begin another campaign (what --resume may change: {changeable})"
                )

    @property
    def read_limits(self) -> ReadLimits:
        """The limits of models and findings that are read."""
        return limits(vars(self))

    @property
    def budget(self) -> Budget:
        """The limits of saturation."""
        return budget(vars(self))

    @property
    def conditions(self) -> Conditions:
        """The conditions of the compiler session."""
        return Conditions(
            python=self.python,
            device=self.device,
            level=self.level,
            timeout_s=self.timeout_s,
            opset=self.opset,
            disruptive=self.disruptive,
        )

    def may_skip(self, cases: int) -> int:
        """Return how many of ``cases`` may be skipped, rounded up, so that one of three is no alarm.

        With rules that the user selected, it is all by default: most graphs have nothing that one rule rewrites.
        """
        percent = self.max_skipped
        if percent is None:
            percent = 100.0 if self.only_rules else MAX_SKIPPED
        return math.ceil(cases * percent / 100)

    def pack_of(self, compiler: CompilerInfo) -> int:
        """Return the most programs compiled as one: 1 if Polyjuice does not generate them, with functions of their own
        on purpose, or on a GPU.
        """
        ours = len(self.seeds) == 1 and self.seeds[0] in GENERATING and not self.disruptive
        return (self.pack or compiler.pack) if ours and self.device == "cpu" and self.extract != FUNCTIONS else 1

    def to_json(self) -> str:
        """Return the options as a JSON object."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Config:
        """Read the result of :meth:`to_json`. Raises ValueError for anything else."""
        values: dict[str, Any] = json.loads(text)
        if problem := mismatch(values, Mapping[str, Any]):
            raise ValueError(problem)
        if unknown := sorted(values.keys() - OPTIONS.keys()):
            raise ValueError(f"there is no option {unknown[0]!r}")
        if problem := mismatch(values, cls):
            raise ValueError(problem)
        options: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls(**options)


OPTIONS: Mapping[str, Option] = {one.name: one.metadata["option"] for one in fields(Config)}
"""All options, by the field of `Config` that each sets."""


def limits(given: Given) -> ReadLimits:
    """Return the limits of models and findings that are read."""
    return ReadLimits(
        elements=given["max_elements"],
        nodes=given["max_nodes"],
        seconds=given["read_timeout_s"],
        memory_gib=given["read_memory_gib"],
    )


SATURATION = ("enodes", "iterations", "rules_per_graph")
"""The options that limit saturation."""


def budget(given: Given) -> Budget:
    """Return the limits of saturation. Those on matches grow with that on e-nodes."""
    enodes, rules = given["enodes"], given["rules_per_graph"]
    share = max(enodes / Budget.enodes, 1.0)
    return Budget(
        rules=RULES_PER_GRAPH if rules is None else rules or None,
        iterations=given["iterations"],
        enodes=enodes,
        matches=round(share * Budget.matches),
        rule_matches=round(share * Budget.rule_matches),
    )


def _read(given: Given, names: Iterable[str]) -> dict[str, Any]:
    there = {name: given[name] for name in names if given[name] is not None and given[name] != []}
    return {name: OPTIONS[name].read(value, OPTIONS[name].flag) for name, value in there.items()}


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value != "" else "the default"
