"""The content of ``finding.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from polyjuice.frameworks.user_files import ProgramData
from polyjuice.triage.decision import Decision


class Element(TypedDict):
    """An element of a finding's output: its position, and its values as texts, by program."""

    at: Sequence[int]
    compiled: Mapping[str, str]
    uncompiled: Mapping[str, str]
    float64: str
    allowed: str


class BisectionRecord(TypedDict, total=False):
    """What `bisect` stores of its result."""

    shown: bool
    complete: bool
    sentences: Sequence[str]
    alternatives: Sequence[Sequence[str]]
    levels: Mapping[str, str]
    met: Mapping[str, Sequence[str]]
    trials: int
    elapsed_s: float


@dataclass(frozen=True, kw_only=True)
class FindingRecord:
    """The content of ``finding.json``: the verdict, and everything that its oracle needs to judge again.

    - ``profiles`` are the profiles of all sets of inputs; ``inputs`` and ``output`` are the indices that show the
      fault.
    - ``level`` is the verdict's optimization level.
    - ``choices`` are the lowering choices of each side, by subject and value. ``given`` is for a side that runs as its
      owner wrote it: everything about the program except its text (see `given.files`).
    - ``signature`` comes from the oracle, ``cause`` from triage: findings with one root cause share it.
    - ``reduction`` describes how a finding was reduced and from which one. ``blame`` and ``bisection`` come from
      `bisect`.
    - ``explanation`` maps the rules that rewrite one side to the other to their mathematics. It is None where they were
      not sought or not found.
    - ``values`` are the elements that differ most (see `report.values`), ``printed`` is the reproducer's output, and
      ``traceback`` belongs to the compiler's error.
    - ``result`` has the wrong program's result and the expected one (see `report.result`). ``failure`` has the
      ``status``, ``stage`` and one-line ``error`` of a crash or a hang.
    - ``decision`` says what decided the verdict (see `triage.decision`).
    - ``more`` is the number of further findings with this cause.
    - ``environment`` is the output of the framework's own environment script, where it has one.
    """

    kind: str
    oracle: str
    compiler: str
    versions: Mapping[str, str]
    seed: int
    index: int
    profile: str
    rung: str
    signature: str
    message: str
    a: str
    b: str
    culprit: str
    rules: Sequence[str]
    operators: Mapping[str, int]
    idioms: Mapping[str, Sequence[str]]
    broken: str
    regression: str
    repro_exit: int | None
    folder: str
    output: int = 0
    inputs: int = 0
    profiles: Sequence[str] = ()
    level: str = ""
    conditions: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, Mapping[str, Mapping[str, Sequence[int]]]] = field(default_factory=dict)
    given: Mapping[str, ProgramData] = field(default_factory=dict)
    reduction: Mapping[str, Any] = field(default_factory=dict)
    cause: str = ""
    blame: Sequence[str] = ()
    bisection: BisectionRecord = field(default_factory=BisectionRecord)
    explanation: Mapping[str, str] | None = None
    values: Sequence[Element] = ()
    printed: str = ""
    traceback: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: Mapping[str, str] = field(default_factory=dict)
    environment: str = ""
    more: int = 0
    decision: Decision = field(default_factory=Decision)
