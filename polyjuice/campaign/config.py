"""The configuration of a campaign: plain data, stored with the campaign and passed to every process."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from polyjuice.campaign.schedule import GENERATING
from polyjuice.compilers import CompilerInfo
from polyjuice.formats import ReadLimits
from polyjuice.inputs import USUAL_PROFILES
from polyjuice.lower import DRAWN_OPSET
from polyjuice.oracles import USUAL_ORACLES
from polyjuice.session import Conditions
from polyjuice.stored_files import mismatch

MAX_SKIPPED = 20.0
"""The most cases that a campaign may skip by default, in percent. Usual campaigns skip 0 to 3 percent."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """The options of ``polyjuice fuzz`` (see its help); paths are absolute.

    ``cases`` is the number of cases, ``time_s`` the seconds after which no case begins; one of them is None. ``seeds``
    is a strategy's name or a list of model files. ``input_sets`` sets of inputs are drawn from each profile. With 0, it
    is one per profile, but at least four in all if a compilation takes seconds.

    ``level`` is the compiler's optimization level ("" for its default). ``opset`` is that of ONNX models, or
    DRAWN_OPSET. ``disruptive`` breaks a constraint of each seed graph, which then has no variants (see
    :mod:`polyjuice.generate.disruptive`). ``known`` names the files of known bugs (see `triage.known.sources`).
    ``triage_s`` limits the seconds for reducing and bisecting each finding; 0 turns both off. ``pack`` is the largest
    number of programs compiled as one (0: the compiler's default). ``max_skipped`` is a percentage of the cases (None:
    the default). The fields after it limit models that are read.
    """

    compiler: str
    seeds: tuple[str, ...] = ("default",)
    cases: int | None = None
    time_s: float | None = None
    seed: int = 0
    nodes: int = 10
    variants: int = 2
    extract: str = "minmax"
    rules: tuple[str, ...] = ()
    only_operators: tuple[str, ...] = ()
    only_rules: tuple[str, ...] = ()
    without_rules: tuple[str, ...] = ()
    oracles: tuple[str, ...] = USUAL_ORACLES
    profiles: tuple[str, ...] = USUAL_PROFILES
    input_sets: int = 0
    python: str = sys.executable
    device: str = "cpu"
    level: str = ""
    workers: int = 1
    timeout_s: float = 60.0
    opset: int = DRAWN_OPSET
    disruptive: bool = False
    known: tuple[str, ...] = ()
    triage_s: float = 300.0
    pack: int = 0
    max_skipped: float | None = None
    max_elements: int = ReadLimits.elements
    max_nodes: int = ReadLimits.nodes
    read_timeout_s: float = ReadLimits.seconds
    read_memory_gib: float = ReadLimits.memory_gib

    @property
    def read_limits(self) -> ReadLimits:
        """The limits of models and findings that are read."""
        return ReadLimits(
            elements=self.max_elements,
            nodes=self.max_nodes,
            seconds=self.read_timeout_s,
            memory_gib=self.read_memory_gib,
        )

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
        """Return the most programs compiled as one: 1 if Polyjuice does not generate them, or on a GPU."""
        ours = len(self.seeds) == 1 and self.seeds[0] in GENERATING and not self.disruptive
        return (self.pack or compiler.pack) if ours and self.device == "cpu" else 1

    def to_json(self) -> str:
        """Return the options as a JSON object."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Config:
        """Read the result of :meth:`to_json`, also that of earlier versions. Raises ValueError for anything else."""
        values: dict[str, Any] = json.loads(text)
        if problem := mismatch(values, Mapping[str, Any]):
            raise ValueError(problem)
        if values.pop("plain", False):  # the option of an earlier version for programs without packs
            values["pack"] = 1
        if isinstance(values.get("known"), str):  # an earlier version named one file, or none
            values["known"] = [values["known"]] if values["known"] else []
        if unknown := sorted(values.keys() - {field.name for field in fields(cls)}):
            raise ValueError(f"there is no option {unknown[0]!r}")
        if problem := mismatch(values, cls):
            raise ValueError(problem)
        options: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls(**options)
