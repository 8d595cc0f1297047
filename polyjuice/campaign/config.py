"""What a campaign is asked to do: plain data that is stored with it and given to every process."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

from polyjuice.campaign.kinds import GENERATING
from polyjuice.compilers import CompilerInfo
from polyjuice.inputs import USUAL_PROFILES
from polyjuice.lower import DRAWN_OPSET
from polyjuice.oracles import USUAL_ORACLES
from polyjuice.session import Conditions


@dataclass(frozen=True)
class Config:
    """The options of ``polyjuice fuzz`` (see its help); paths are absolute.

    ``cases`` is the number of cases, ``time_s`` the time after which no case is begun; one of them is None.
    ``seeds`` is a strategy's name or a list of model files; ``input_sets`` are drawn of each profile, with 0 one, and
    four in all where a compilation takes seconds.
    ``level`` is the compiler's optimization level ("" for its default). ``opset`` is that of ONNX models, or
    DRAWN_OPSET. ``disruptive`` breaks a constraint of each seed graph, of which there are no variants then (see
    :mod:`polyjuice.generate.disruptive`). ``known`` names the files of known bugs (see `triage.known.sources`).
    ``triage_s`` is how long each finding is reduced, and bisected, at most; with 0 neither is done. ``pack`` is how
    many programs are compiled as one at most (0: as many as suits the compiler).
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

    @property
    def conditions(self) -> Conditions:
        return Conditions(self.python, self.device, self.level, self.timeout_s, self.opset, self.disruptive)

    def pack_of(self, compiler: CompilerInfo) -> int:
        """How many programs are compiled as one at most: 1 where it is not we who generate them, or on a GPU."""
        ours = len(self.seeds) == 1 and self.seeds[0] in GENERATING and not self.disruptive
        return (self.pack or compiler.pack) if ours and self.device == "cpu" else 1

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Config:
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(text).items()}
        if values.pop("plain", False):  # an earlier version said so
            values["pack"] = 1
        if isinstance(values.get("known"), str):  # an earlier version named one file, or none
            values["known"] = (values["known"],) if values["known"] else ()
        return cls(**values)
