"""What ``finding.json`` holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FindingRecord:
    """What ``finding.json`` says: the verdict, and all that it takes to have the same oracle judge once more.

    ``profiles`` are those of all sets of inputs; ``inputs`` and ``output`` number the set and the result that show it.
    ``level`` is the verdict's optimization level; ``choices`` are those of each side's lowering, by subject and value,
    and ``given``, for a side that is run as its owner wrote it, what the program has beside its text (see
    `given.files`).
    ``signature`` is the oracle's, ``cause`` what triage has found that findings with one cause share.
    ``reduction`` says of a reduced finding what it was reduced from, and how; ``blame`` and ``bisection`` what `bisect`
    has found.
    ``explanation`` gives the rules that suffice to make one side of the other, with their mathematics (None where they
    were not sought, or not found). ``values`` are those elements that differ most (see `report.values`), ``printed`` is
    what the reproducer printed, and ``traceback`` that of the compiler's error. ``result`` is what came of the wrong
    program and what is due (see `report.result`), and ``failure`` says of a crash or a hang how the run ended: its
    ``status``, its ``stage``, and the ``error`` in a line. ``environment`` is what the framework's own script says of
    its environment, where it has one.
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
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reduction: Mapping[str, Any] = field(default_factory=dict)
    cause: str = ""
    blame: Sequence[str] = ()
    bisection: Mapping[str, Any] = field(default_factory=dict)
    explanation: Mapping[str, str] | None = None
    values: Sequence[Mapping[str, Any]] = ()
    printed: str = ""
    traceback: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: Mapping[str, str] = field(default_factory=dict)
    environment: str = ""
