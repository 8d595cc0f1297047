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
    for name in ("conditions", "spellings"):
        if not getattr(record, name):
            raise FindingError(
                f"{folder / 'finding.json'} has no {name!r}, which older findings lack: run the case again to have one "
                f"(polyjuice fuzz --compiler {record.compiler} --seed {record.seed})"
            )
    sides = {record.a: "a.onnx"}
    if ORACLES[record.oracle].least > 1:
        sides[record.b] = "b.onnx"
    for name in (*sides.values(), "inputs.npz"):
        if not (folder / name).is_file():
            raise FindingError(f"{folder} is not a whole finding (there is no {name})")
    graphs = {label: formats.load(folder / name) for label, name in sides.items()}
    elsewhere = {"python": str(python)} if python else {}
    conditions = Conditions(**{**record.conditions, **elsewhere})
    spellings = {label: Spelling(**record.spellings[label]) for label in sides}
    return Stored(record, graphs, _inputs(folder, len(graphs[record.a].inputs)), conditions, spellings)


def _record(folder: Path) -> FindingRecord:
    path = folder / "finding.json"
    if not path.is_file():
        raise FindingError(f"{folder} is not a finding's folder (there is no finding.json)")
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        known = {field.name for field in fields(FindingRecord)}
        return FindingRecord(**{name: value for name, value in values.items() if name in known})
    except (ValueError, TypeError) as error:
        raise FindingError(f"{path} cannot be read: {error}") from None


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
