"""Read a finding's folder: graphs, inputs, conditions, and the verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import formats, pipeline
from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.inputs import mode_in
from polyjuice.ir import Graph, unpacked
from polyjuice.oracles import Case, InputSet, Kind, Oracle, Program, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.session import Conditions
from polyjuice.triage import older
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.reproducers import input_name, program_stem
from polyjuice.user_models import files

#: The optional fields of a finding.
_FURTHER = (
    "given",
    "reduction",
    "cause",
    "blame",
    "bisection",
    "explanation",
    "values",
    "printed",
    "traceback",
    "result",
    "failure",
    "environment",
)


_DEFAULT = formats.ReadLimits()


class FindingError(ValueError):
    """The folder is not a finding, or the finding lacks something; the message is one line that says so."""


@dataclass(frozen=True)
class Stored:
    """The content of a finding's folder: graphs by label, all sets of inputs, and ``inputs``, which show it.

    If the oracle judges a single program, there is one graph, the record's ``a``. Each side has ``choices`` for
    lowering, or it is in ``as_written`` and runs as its owner wrote it.
    """

    folder: Path
    record: FindingRecord
    graphs: Mapping[str, Graph]
    sets: tuple[tuple[np.ndarray, ...], ...]
    conditions: Conditions
    choices: Mapping[str, LoweringChoices]
    as_written: Mapping[str, Artifact] = field(default_factory=dict)
    limits: formats.ReadLimits = _DEFAULT

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
        r = self.record
        b = r.b if r.b in self.graphs else ""
        fields = (r.oracle, r.kind, r.a, b, r.message, r.signature, r.inputs, r.output, r.culprit, r.rung)
        return Verdict(*fields, level=r.level)

    def case(self) -> Case:
        """The case with only the verdict's sides, which have not run yet. Raises Unlowerable."""
        modes = [mode_in(profile, self.compiler) for profile in self.record.profiles]
        sets = [InputSet(*one) for one in zip(self.record.profiles, self.sets, modes, strict=True)]
        programs = [
            pipeline.prepare(label, graph, self._artifact(label), sets, as_written=label in self.as_written)
            for label, graph in self.graphs.items()
        ]
        return self.case_of(sets, programs)

    @property
    def artifacts(self) -> dict[str, Artifact]:
        """The sides' programs as the oracle runs them. Raises Unlowerable."""
        return {label: self.oracle.program(self._artifact(label)) for label in self.graphs}

    def _artifact(self, label: str) -> Artifact:
        """The program of a side. Raises Unlowerable."""
        if label in self.as_written:
            return self.as_written[label]
        return pipeline.lower(self.graphs[label], self.choices[label], self.target)

    def case_of(self, sets: Sequence[InputSet], programs: Sequence[Program]) -> Case:
        """The finding's case with other programs and sets of inputs."""
        record = self.record
        return Case(sets, programs, record.broken, record.rules, record.seed, record.index)

    @cached_property
    def target(self) -> pipeline.Target:
        """The target to which graphs are lowered."""
        return pipeline.target_of(self.compiler, self.conditions.opset)

    def annotate(self, **changes: Any) -> dict[str, Any]:
        """Set fields of ``finding.json``, keep the others, and return the new content."""
        return annotate(self.folder, **changes)


def annotate(folder: Path, /, **changes: Any) -> dict[str, Any]:
    """Set fields of a folder's ``finding.json``, keep the others, and return the new content."""
    path = folder / "finding.json"
    record = {**json.loads(path.read_text("utf-8")), **changes}
    written = path.with_suffix(".new")
    written.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    written.replace(path)
    return record


def load(folder: Path, python: Path | None = None, limits: formats.ReadLimits = _DEFAULT) -> Stored:
    """Read a finding. ``python`` is the interpreter that has the compiler; by default, the one that the finding names.

    Raises FindingError, FormatError, and EnvironmentProblem where the finding's oracle is not here.
    """
    record = _record(folder)
    elsewhere = {"python": str(python)} if python else {}
    try:
        sides = {record.a: "a.onnx"}
        if find_oracle(record.oracle).least > 1:
            sides[record.b] = "b.onnx"
        conditions = Conditions(**{**record.conditions, **elsewhere})
        written = [label for label in sides if label not in record.given]
        choices = {label: LoweringChoices.from_json(record.choices[label]) for label in written}
    except (AttributeError, KeyError, TypeError) as error:
        raise FindingError(f"{folder / 'finding.json'} cannot be read: {error}") from None
    for name in (*sides.values(), "inputs.npz"):
        if not (folder / name).is_file():
            raise FindingError(f"{folder} is not a complete finding (there is no {name})")
    graphs = {label: formats.load(folder / name, limits) for label, name in sides.items()}
    arrays = _arrays(folder)
    sets = _inputs(folder, record, arrays, len(graphs[record.a].inputs))
    as_written = _as_written(folder, record, sides, arrays)
    return Stored(folder, record, graphs, sets, conditions, choices, as_written, limits)


def _record(folder: Path) -> FindingRecord:
    path = folder / "finding.json"
    if not path.is_file():
        raise FindingError(f"{folder} is not a finding's folder (there is no finding.json)")
    try:
        data = older.with_choices(folder, json.loads(path.read_text(encoding="utf-8")))
        values = older.with_failure(older.with_cause(data))
    except (KeyError, TypeError, ValueError) as error:
        raise FindingError(f"{path} cannot be read: {error}") from None
    known = {field.name: values[field.name] for field in fields(FindingRecord) if field.name in values}
    needed = [field.name for field in fields(FindingRecord) if field.name not in _FURTHER]
    missing = [name for name in needed if name not in known]
    if missing:
        raise FindingError(
            f"{path} has no {missing[0]!r}: an older version wrote it. Find it again with the seed of its campaign"
        )
    return FindingRecord(**known)


def _arrays(folder: Path) -> dict[str, np.ndarray]:
    """All arrays of a finding by name."""
    with np.load(folder / "inputs.npz") as stored:
        return unpacked(stored)


def _as_written(
    folder: Path, record: FindingRecord, sides: Mapping[str, str], arrays: Mapping[str, np.ndarray]
) -> dict[str, Artifact]:
    """The sides that run as their owners wrote them."""
    places = {label: program_stem(side) for side, label in zip("AB", sides, strict=False) if label in record.given}
    try:
        return {label: files.read(folder, place, record.given[label], arrays) for label, place in places.items()}
    except (KeyError, OSError) as error:
        raise FindingError(f"{folder}: the original program cannot be read: {error}") from None


def _inputs(
    folder: Path, record: FindingRecord, arrays: Mapping[str, np.ndarray], count: int
) -> tuple[tuple[np.ndarray, ...], ...]:
    """The arrays of each set of inputs, in the order of the graphs' inputs."""
    try:
        return tuple(
            tuple(arrays[input_name(i, None if number == record.inputs else number)] for i in range(count))
            for number in range(len(record.profiles))
        )
    except KeyError as error:
        raise FindingError(f"{folder / 'inputs.npz'} lacks {error}") from None
