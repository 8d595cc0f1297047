"""A finding's folder, read again: graphs, inputs, and how they were judged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import formats
from polyjuice.bench import Conditions
from polyjuice.compilers import CompilerInfo, find
from polyjuice.ir import Graph, dtypes
from polyjuice.oracles import ORACLES, Oracle, Spelling
from polyjuice.triage.finding import FindingRecord

#: What a finding may be without.
_FURTHER = ("reduction",)


class FindingError(ValueError):
    """A folder that is no finding, or lacks what is asked of it; the message is one line that says so."""


@dataclass(frozen=True)
class Stored:
    """What a finding's folder holds: the graphs by label, and the set of inputs that shows the fault.

    Where the oracle judges one program there is one graph: that of the record's ``a``.
    """

    record: FindingRecord
    graphs: Mapping[str, Graph]
    inputs: tuple[np.ndarray, ...]
    conditions: Conditions
    spellings: Mapping[str, Spelling]

    @property
    def oracle(self) -> Oracle:
        return ORACLES[self.record.oracle]

    @property
    def compiler(self) -> CompilerInfo:
        """Raises EnvironmentProblem where there is no such compiler any more."""
        return find(self.record.compiler)


def load(folder: Path, python: Path | None = None) -> Stored:
    """Read a finding; ``python`` is the interpreter that has the compiler, unless it is where it was.

    Raises FindingError, FormatError.
    """
    record = _record(folder)
    elsewhere = {"python": str(python)} if python else {}
    try:
        sides = {record.a: "a.onnx", record.b: "b.onnx"} if ORACLES[record.oracle].least > 1 else {record.a: "a.onnx"}
        conditions = Conditions(**{**record.conditions, **elsewhere})
        spellings = {label: Spelling(**record.spellings[label]) for label in sides}
    except (KeyError, TypeError) as error:
        raise FindingError(f"{folder / 'finding.json'} cannot be read: {error}") from None
    for name in (*sides.values(), "inputs.npz"):
        if not (folder / name).is_file():
            raise FindingError(f"{folder} is not a whole finding (there is no {name})")
    graphs = {label: formats.load(folder / name) for label, name in sides.items()}
    return Stored(record, graphs, _inputs(folder, len(graphs[record.a].inputs)), conditions, spellings)


def _record(folder: Path) -> FindingRecord:
    path = folder / "finding.json"
    if not path.is_file():
        raise FindingError(f"{folder} is not a finding's folder (there is no finding.json)")
    try:
        values: dict[str, Any] = dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise FindingError(f"{path} cannot be read: {error}") from None
    known = {field.name: values[field.name] for field in fields(FindingRecord) if field.name in values}
    needed = [field.name for field in fields(FindingRecord) if field.name not in _FURTHER]
    missing = [name for name in needed if name not in known]
    if missing:
        raise FindingError(
            f"{path} has no {missing[0]!r}, which older findings lack: find it again, by the seed of its campaign"
        )
    return FindingRecord(**known)


def _inputs(folder: Path, count: int) -> tuple[np.ndarray, ...]:
    """Arrays for the graphs' inputs, in order; bfloat16 is stored as the uint16 of its bits."""
    with np.load(folder / "inputs.npz") as stored:
        arrays = {
            name.removesuffix("@bfloat16"): array.view(dtypes.to_numpy("bfloat16"))
            if name.endswith("@bfloat16")
            else array
            for name, array in stored.items()
        }
    try:
        return tuple(arrays[f"input_{i}"] for i in range(count))
    except KeyError as error:
        raise FindingError(f"{folder / 'inputs.npz'} lacks {error}") from None
