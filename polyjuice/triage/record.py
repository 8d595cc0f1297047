"""The content of ``finding.json``, how it is read, and what decided a verdict on values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.frameworks.user_files import ProgramData
from polyjuice.inputs import GIVEN, PROFILES
from polyjuice.numerics.masks import MASKS, masks
from polyjuice.oracles import Case, Verdict
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles.uncompiled import silent
from polyjuice.oracles.zeros import ZEROS
from polyjuice.stored_files import FORM, StoredError, mismatch, read_json, refusal, this_version

BY = {
    "bitwise": "bitwise equality: the operators are exact on these integers, so no tolerance applies",
    "bounded": "the error bound (error, ulps), and the uncompiled run, which lies nearer to float64",
    "uncompiled": "the uncompiled run, within a multiple of its own error: the interpreter leaves these elements open",
    ZEROS: "the sign of zeros, on which the uncompiled run and float64 agree",
}
"""What decides, by how a verdict compares results."""


class Masked(TypedDict):
    """A mask, the operator that brings it, and the number of elements of that operator's result."""

    mask: str
    operator: str
    elements: int


class Decision(TypedDict, total=False):
    """What decided a verdict on the elements of an output, of which ``left_out`` were not compared.

    ``uncompiled`` says why the uncompiled run did not decide these elements.
    """

    by: str
    elements: int
    left_out: int
    masks: Sequence[Masked]
    uncompiled: str


def decision(case: Case, verdict: Verdict, compiler: CompilerInfo) -> Decision:
    """What decided a verdict; empty where it is not about the elements of the case's own results."""
    if verdict.comparison not in BY or not find_oracle(verdict.oracle).of_case:
        return {}
    i, k = verdict.inputs, verdict.output
    sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
    left_out = np.logical_or.reduce([~np.isfinite(side.analyses[i][k].bound) for side in sides])
    found: Counter[tuple[str, str]] = Counter()
    for side in sides:
        found |= masks(side.graph, case.inputs[i], k, case.sets[i].mode)
    decided = verdict.comparison in ("uncompiled", ZEROS) or not left_out.any()
    return {
        "by": BY[verdict.comparison],
        "elements": left_out.size,
        "left_out": int(left_out.sum()),
        "masks": [Masked(mask=mask, operator=name, elements=n) for (mask, name), n in found.most_common()],
        "uncompiled": "" if decided else silent(case, sides[0], i, k, compiler),
    }


def in_words(found: Decision) -> Iterator[str]:
    """A decision in sentences."""
    if not found:
        yield "No error bound and no mask decided this finding."
        return
    yield f"Decided by {found['by']}."
    if found["left_out"]:
        yield f"The error bounds leave {found['left_out']} of {found['elements']} elements open."
    for one in found["masks"]:
        yield f"{one['mask']}: {one['elements']} elements of {one['operator']} ({MASKS[one['mask']]})."
    if found["uncompiled"]:
        yield f"The uncompiled run does not decide them: {found['uncompiled']}."


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
    follows: bool
    sentences: Sequence[str]
    alternatives: Sequence[Sequence[str]]
    levels: Mapping[str, str]
    conditions: Mapping[str, str]
    releases: Mapping[str, str]
    met: Mapping[str, Sequence[str]]
    trials: int
    elapsed_s: float


class FindingError(ValueError):
    """The folder is not a finding, or the finding lacks something; the message is one line that says so."""


@dataclass(frozen=True, kw_only=True)
class FindingRecord:
    """The content of ``finding.json``: the verdict, and everything that its oracle needs to judge again.

    - ``profiles`` are the profiles of all sets of inputs; ``inputs`` and ``output`` are the indices that show the
      fault.
    - ``level`` is the verdict's optimization level or other change of conditions.
    - ``choices`` are the lowering choices of each side, by subject and value. ``user_program`` has for a side that runs
      as its owner wrote it everything but the text (see :mod:`polyjuice.frameworks.user_files`).
    - ``signature`` comes from the oracle, ``cause`` from triage: findings with one root cause share it.
    - ``pattern`` has the operators of the wrong program with their element types (see `causes.pattern`), and ``wrong``
      says what is wrong about its result.
    - ``reduction`` describes how a finding was reduced and from which one. ``blame`` and ``bisection`` come from
      `bisect`.
    - ``explanation`` maps the rules that rewrite one side to the other to their mathematics. It is None where they were
      not sought or not found.
    - ``values`` are the elements that differ most (see `report.values`). ``printed`` is the reproducer's output,
      ``backends`` has a line for each of the framework's backends, and ``traceback`` belongs to the compiler's error.
    - ``result`` has the wrong program's result and the expected one (see `report.result`). ``failure`` has the
      ``status``, ``stage`` and one-line ``error`` of a crash or a hang.
    - ``decision`` says what decided the verdict (see `decision`).
    - ``known`` is the URL of the known bug that the finding shows, ``regression`` that of one that came back.
    - ``more`` is the number of further findings with this cause.
    - ``environment`` is the output of the framework's own environment script, where it has one.
    - ``form`` and ``polyjuice`` say which version wrote the finding (see `refusal`).
    """

    kind: str
    oracle: str
    compiler: str
    versions: Mapping[str, str]
    seed: int
    index: int
    profile: str
    comparison: str
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
    output: int
    inputs: int
    profiles: Sequence[str]
    level: str
    conditions: Mapping[str, Any]
    choices: Mapping[str, Mapping[str, Mapping[str, Sequence[int]]]]
    user_program: Mapping[str, ProgramData] = field(default_factory=dict)
    reduction: Mapping[str, Any] = field(default_factory=dict)
    pattern: Sequence[str] = ()
    wrong: str = ""
    cause: str = ""
    blame: Sequence[str] = ()
    bisection: BisectionRecord = field(default_factory=BisectionRecord)
    explanation: Mapping[str, str] | None = None
    values: Sequence[Element] = ()
    printed: str = ""
    backends: str = ""
    traceback: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: Mapping[str, str] = field(default_factory=dict)
    environment: str = ""
    known: str = ""
    more: int = 0
    decision: Decision = field(default_factory=Decision)
    form: int = FORM
    polyjuice: str = field(default_factory=this_version)


def of_verdict(verdict: Verdict | FindingRecord) -> dict[str, Any]:
    """What a finding's record and its verdict have in common, by field."""
    names = ["oracle", "kind", "a", "b", "message", "signature", "inputs", "output", "culprit", "comparison", "level"]
    return {name: getattr(verdict, name) for name in names}


def read_record(folder: Path) -> FindingRecord:
    """Read ``finding.json``. Raises FindingError, and EnvironmentProblem where the finding's oracle is not here."""
    path = folder / "finding.json"
    if not path.is_file():
        raise FindingError(f"{folder} is not a finding's folder (there is no finding.json)")
    try:
        data = read_json(path)
    except StoredError as error:
        raise FindingError(str(error)) from None
    if problem := refusal(data.get("form"), data.get("polyjuice")):
        raise FindingError(f"{path}: {problem}")
    known = {field.name: data[field.name] for field in fields(FindingRecord) if field.name in data}
    if problem := mismatch(known, FindingRecord) or _contradiction(record := FindingRecord(**known)):
        raise FindingError(f"{path}: {problem}")
    return record


def _contradiction(record: FindingRecord) -> str:
    """The contradiction in a finding, in words; "" where there is nothing."""
    if unknown := [name for name in (record.profile, *record.profiles) if name not in (*PROFILES, *GIVEN)]:
        return f"there is no profile {unknown[0]!r}"
    if not 0 <= record.inputs < len(record.profiles):
        return f"inputs is {record.inputs}, and there are {len(record.profiles)} profiles"
    if find_oracle(record.oracle).least > 1 and record.a == record.b:
        return "a and b are the same program"
    if len({(*row["compiled"], "", *row["uncompiled"]) for row in record.values}) > 1:
        return "its values are of different programs"
    numbers = [n for of in record.choices.values() for at in of.values() for taken in at.values() for n in taken]
    return f"a lowering choice is {min(numbers)}" if numbers and min(numbers) < 0 else ""
