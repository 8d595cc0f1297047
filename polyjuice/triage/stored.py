"""Read a finding's folder (graphs, inputs, conditions, and the verdict), and replay the finding."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from onnx.defs import onnx_opset_version

from polyjuice import pipeline
from polyjuice.compilers import CompilerInfo, EnvironmentProblem, find
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.frameworks.onnx import graph_files
from polyjuice.inputs import mode_in
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.oracles import FAILURE_ORACLES, Case, InputSet, Kind, Oracle, Program, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.session import CompilerSession, Conditions
from polyjuice.stored_files import StoredError, mismatch, read_arrays, read_json, write_whole
from polyjuice.triage import report
from polyjuice.triage.record import FindingError, FindingRecord, of_verdict, read_record
from polyjuice.triage.reproducers import input_name, program_stem

_LONGEST_S = 86_400
"""The longest time limit of a finding, in seconds: a day."""


@dataclass(frozen=True, kw_only=True)
class Stored:
    """The content of a finding's folder: graphs by label, all sets of inputs, and ``inputs``, which show it.

    If the oracle judges a single program, there is one graph, the record's ``a``. Each side has ``choices`` for
    lowering, or it is in ``user_program`` and runs as its owner wrote it.
    """

    folder: Path
    record: FindingRecord
    graphs: Mapping[str, Graph]
    sets: tuple[tuple[np.ndarray, ...], ...]
    conditions: Conditions
    choices: Mapping[str, LoweringChoices]
    user_program: Mapping[str, Artifact] = field(default_factory=dict)

    @property
    def oracle(self) -> Oracle:
        """The oracle that gave the verdict."""
        return find_oracle(self.record.oracle)

    @property
    def kind(self) -> Kind:
        """The kind of the verdict."""
        return kind_of(self.record.kind)

    @cached_property
    def compiler(self) -> CompilerInfo:
        """The finding's compiler. Raises EnvironmentProblem where that compiler no longer exists."""
        return find(self.record.compiler)

    @property
    def inputs(self) -> tuple[np.ndarray, ...]:
        """The set of inputs that shows the fault, in the order of the graphs' inputs."""
        return self.sets[self.record.inputs]

    @property
    def verdict(self) -> Verdict:
        """The stored verdict, as far as oracles compare verdicts: without allowed differences and expected values."""
        b = self.record.b if self.record.b in self.graphs else ""
        return Verdict(**of_verdict(self.record) | {"b": b})

    def case(self) -> Case:
        """The case with only the verdict's sides, which have not run yet. Raises Unlowerable."""
        sets = [
            InputSet(profile=profile, arrays=arrays, mode=mode_in(profile, self.compiler))
            for profile, arrays in zip(self.record.profiles, self.sets, strict=True)
        ]
        programs = [
            pipeline.prepare(label, graph, self._artifact(label), sets, user_program=label in self.user_program)
            for label, graph in self.graphs.items()
        ]
        return self.case_of(sets, programs)

    @property
    def artifacts(self) -> dict[str, Artifact]:
        """The sides' programs as the oracle runs them. Raises Unlowerable."""
        return {label: self.oracle.program(self._artifact(label)) for label in self.graphs}

    def _artifact(self, label: str) -> Artifact:
        """The program of a side. Raises Unlowerable."""
        if label in self.user_program:
            return self.user_program[label]
        return pipeline.lower(self.graphs[label], self.choices[label], self.target)

    def case_of(self, sets: Sequence[InputSet], programs: Sequence[Program]) -> Case:
        """The finding's case with other programs and sets of inputs."""
        record = self.record
        return Case(
            sets=sets, programs=programs, broken=record.broken, rules=record.rules, seed=record.seed, index=record.index
        )

    @cached_property
    def target(self) -> pipeline.Target:
        """The target to which graphs are lowered."""
        return pipeline.target_of(self.compiler, self.conditions.opset)

    def annotate(self, **changes: Any) -> dict[str, Any]:
        """Set fields of ``finding.json``, update ``report.md`` if there is one, and return the new content."""
        data = annotate(self.folder, **changes)
        path, repro = self.folder / "report.md", self.folder / "repro.py"
        if path.is_file() and repro.is_file():
            text = report.render(read_record(self.folder), self.graphs, self.artifacts, repro.read_text("utf-8"))
            path.write_text(text, encoding="utf-8")
        return data


def annotate(folder: Path, /, **changes: Any) -> dict[str, Any]:
    """Set fields of a folder's ``finding.json``, keep the others, and return the new content. Raises StoredError."""
    path = folder / "finding.json"
    record = {**read_json(path), **changes}
    write_whole(path, json.dumps(record, indent=2) + "\n")
    return record


def title_of(folder: Path) -> str:
    """The title of the report in a finding's folder; "" where there is none."""
    report = folder / "report.md"
    text = report.read_text("utf-8", "replace") if report.is_file() else ""
    title = re.search(r"^(?:<!-- )?Title: (.+?)(?: -->)?$|^# (.+)$", text, re.MULTILINE)
    return (title[1] or title[2]) if title else ""


def load(folder: Path, python: Path | None = None) -> Stored:
    """Read a finding. ``python`` is the interpreter that has the compiler; by default, the one that the finding names.

    Raises FindingError, FormatError, and EnvironmentProblem where the finding's oracle is not here.
    """
    record = read_record(folder)
    several = find_oracle(record.oracle).least > 1
    sides = {record.a: "a.onnx", record.b: "b.onnx"} if several else {record.a: "a.onnx"}
    written = [label for label in sides if label not in record.user_program]
    if absent := [label for label in written if label not in record.choices]:
        raise FindingError(f"{folder / 'finding.json'} has no lowering choices for {absent[0]!r}")
    choices = {label: LoweringChoices.from_json(record.choices[label]) for label in written}
    conditions = _conditions(folder / "finding.json", record, python)
    for name in (*sides.values(), "inputs.npz"):
        if not (folder / name).is_file():
            raise FindingError(f"{folder} is not a complete finding (there is no {name})")
    graphs = {label: graph_files.load(folder / name) for label, name in sides.items()}
    try:
        arrays = read_arrays(folder / "inputs.npz")
        user_program = _user_program(folder, record, sides, arrays)
    except StoredError as error:
        raise FindingError(str(error)) from None
    sets = _inputs(folder, record, arrays, graphs)
    return Stored(
        folder=folder,
        record=record,
        graphs=graphs,
        sets=sets,
        conditions=conditions,
        choices=choices,
        user_program=user_program,
    )


def _conditions(path: Path, record: FindingRecord, python: Path | None) -> Conditions:
    """The conditions of a finding. Raises FindingError."""
    data = {**record.conditions, **({"python": str(python)} if python else {})}
    known = {field.name for field in fields(Conditions)}
    if unknown := next((name for name in data if name not in known), None):
        raise FindingError(f"{path}: conditions have no {unknown!r}")
    if problem := mismatch(data, Conditions, "conditions"):
        raise FindingError(f"{path}: {problem}")
    conditions = Conditions(**data)
    if not (math.isfinite(conditions.timeout_s) and 0 < conditions.timeout_s <= _LONGEST_S):
        raise FindingError(f"{path}: conditions.timeout_s must be above 0 and at most {_LONGEST_S:,} seconds")
    if not 0 <= conditions.opset <= onnx_opset_version():
        raise FindingError(f"{path}: conditions.opset must be at least 0 and at most {onnx_opset_version()}")
    if conditions.device not in ("cpu", "cuda"):
        raise FindingError(f"{path}: conditions.device must be cpu or cuda")
    if not conditions.python or "\0" in conditions.python:
        raise FindingError(f"{path}: conditions.python names no interpreter; name one with --python")
    return conditions


def _user_program(
    folder: Path, record: FindingRecord, sides: Mapping[str, str], arrays: Mapping[str, np.ndarray]
) -> dict[str, Artifact]:
    """The sides that run as their owners wrote them. Raises StoredError."""
    places = {
        label: program_stem(side) for side, label in zip("AB", sides, strict=False) if label in record.user_program
    }
    return {label: files.read(folder, place, record.user_program[label], arrays) for label, place in places.items()}


def _inputs(
    folder: Path, record: FindingRecord, arrays: Mapping[str, np.ndarray], graphs: Mapping[str, Graph]
) -> tuple[tuple[np.ndarray, ...], ...]:
    """The arrays of each set of inputs, in the order of the graphs' inputs. Raises FindingError."""
    first, *others = graphs.values()
    if any(graph.input_types != first.input_types or graph.output_types != first.output_types for graph in others):
        raise FindingError(f"{folder}: its programs have different inputs or outputs")
    sets = []
    for number in range(len(record.profiles)):
        names = [input_name(i, None if number == record.inputs else number) for i in range(len(first.inputs))]
        if missing := next((name for name in names if name not in arrays), None):
            raise FindingError(f"{folder / 'inputs.npz'} lacks {missing!r}")
        for name, wanted in zip(names, first.input_types, strict=True):
            found = TensorType(dtypes.dtype_of(arrays[name]), arrays[name].shape)
            if found != wanted:
                raise FindingError(f"{folder / 'inputs.npz'}: {name} is {found}, and the program takes {wanted}")
        sets.append(tuple(arrays[name] for name in names))
    return tuple(sets)


class ReplayStatus(StrEnum):
    """The state of a finding when it runs again; ``changed`` means that its programs fail in another way now."""

    shows = "shows"
    changed = "changed"
    fixed = "fixed"
    not_run = "not run"


@dataclass(frozen=True)
class Replayed:
    """The status of a finding in a version of its compiler; ``message`` tells how it changed, or why it did not run."""

    finding: str
    status: ReplayStatus
    version: str = ""
    message: str = ""


def replay(folder: Path, python: Path | None = None) -> Replayed:
    """Let a finding's own oracle, and the one that sees failures, judge its programs again.

    ``python`` is the interpreter that has the compiler; by default, the one that the finding names.
    """
    replayed = partial(Replayed, folder.name)
    try:
        stored = load(folder, python)
        case, verdict = stored.case(), stored.verdict
        with CompilerSession(stored.conditions, stored.compiler) as session:
            verdicts: list[Verdict] = []
            for _ in range(pipeline.tries(verdict.kind)):
                again = pipeline.rerun(case, session)
                version = session.version
                if pipeline.shows(again, verdict, session):
                    return replayed(ReplayStatus.shows, version)
                if refused := [p.outcome.message for p in again.programs if p.outcome.status == "unsupported"]:
                    return replayed(ReplayStatus.not_run, version, refused[0])
                verdicts += pipeline.judge(again, session, dict.fromkeys([verdict.oracle, *FAILURE_ORACLES]))
    except (EnvironmentProblem, FindingError, FormatError, Unlowerable) as problem:
        return replayed(ReplayStatus.not_run, message=str(problem))
    if not verdicts:
        return replayed(ReplayStatus.fixed, version)
    return replayed(ReplayStatus.changed, version, verdicts[0].message)
