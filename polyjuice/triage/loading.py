"""A finding's folder back into what the oracle judged: the verdict, and the case with the programs that were compiled.

``case.json`` holds what the other files of a finding do not: how the compiler was called, the verdict's fields, and
each side's program. `keep` writes it, `load` reads it. Arrays are those of ``inputs.npz`` (see `stored_arrays`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import formats
from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import Artifact, Outcome
from polyjuice.ir import dtypes
from polyjuice.numerics import Analyses, Mode
from polyjuice.oracles import Case, Tested, Verdict
from polyjuice.triage.bench import Settings

_CASE = "case.json"
_RECORD = "finding.json"
_BFLOAT16 = "@bfloat16"
_ARRAY_FIELDS = ("allowed", "expected")
"""Those of a verdict that are in ``inputs.npz``."""

_NOT_RUN = Outcome("unsupported", message="not run since it was loaded")


class FindingError(ValueError):
    """A folder that is no finding, or one that lacks what is asked for: one line that says what to do."""


@dataclass(frozen=True)
class Finding:
    """A finding as it was judged; none of its programs has been run yet (see `rerun`).

    ``record`` is what ``finding.json`` says. The case holds the verdict's sides alone, and all sets of inputs.
    """

    folder: Path
    record: Mapping[str, Any]
    compiler: CompilerInfo
    settings: Settings
    case: Case
    verdict: Verdict


def keep(folder: Path, settings: Settings, case: Case, verdict: Verdict) -> None:
    """Write ``case.json`` beside the graphs, the ONNX models as they were compiled, and ``inputs.npz``."""
    sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
    said = {
        "settings": {
            "python": settings.python,
            "device": settings.device,
            "level": settings.level,
            "timeout_s": settings.timeout_s,
            "opset": settings.opset,
            "uncompiled": settings.uncompiled,
        },
        "profiles": list(case.profiles),
        "modes": [asdict(mode) for mode in case.modes],
        "broken": case.broken,
        "verdict": {name: value for name, value in vars(verdict).items() if name not in _ARRAY_FIELDS},
        "sides": [
            {
                "label": t.label,
                "graph": f"{side}.onnx",
                "source": t.artifact.source if isinstance(t.artifact.source, str) else None,
                "model": lowered_name(side) if isinstance(t.artifact.source, bytes) else None,
                "arrays": list(t.artifact.arrays),
                "arguments": list(t.artifact.arguments),
                "results": t.artifact.results,
                "setup": dict(t.artifact.setup),
                "idioms": list(t.artifact.idioms),
            }
            for side, t in zip("ab", sides, strict=False)
        ],
    }
    (folder / _CASE).write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")


def load(folder: Path) -> Finding:
    """Read a finding.

    Raises FindingError where the folder holds none or was written before findings kept their programs,
    EnvironmentProblem where its compiler is not known here, and FormatError for a damaged graph.
    """
    record = _read(folder, _RECORD, "is not a finding's folder")
    said = _read(folder, _CASE, "was stored before findings kept their programs: find it again")
    arrays = _arrays(folder / "inputs.npz")
    compiler = find(record["compiler"])
    verdict = Verdict(**said["verdict"], allowed=arrays.get("allowed"), expected=arrays.get("expected"))
    modes = [Mode(**mode) for mode in said["modes"]]
    graphs = [formats.load(folder / side["graph"]) for side in said["sides"]]
    count = len(graphs[0].inputs)
    inputs = [
        tuple(arrays[input_name(i, None if s == verdict.inputs else s)] for i in range(count))
        for s in range(len(said["profiles"]))
    ]
    tested = [
        Tested(
            side["label"],
            graph,
            Artifact(
                compiler.format,
                side["source"] if side["model"] is None else (folder / side["model"]).read_bytes(),
                {name: arrays[name] for name in side["arrays"]},
                tuple(side["arguments"]),
                side["results"],
                side["setup"],
                tuple(side["idioms"]),
            ),
            Analyses(graph, inputs, modes),
            _NOT_RUN,
        )
        for side, graph in zip(said["sides"], graphs, strict=True)
    ]
    case = Case(said["profiles"], inputs, tested, said["broken"], modes)
    return Finding(folder, record, compiler, Settings(**said["settings"]), case, verdict)


def annotate(finding: Finding, **fields: Any) -> Finding:
    """Add fields to ``finding.json``, or replace them; the others stay."""
    record = {**_read(finding.folder, _RECORD, "is not a finding's folder"), **fields}
    (finding.folder / _RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return replace(finding, record=record)


def lowered_name(side: str) -> str:
    """The file beside the reproducer that holds the ONNX model of side A or B as it was compiled."""
    return f"{side.lower()}.lowered.onnx"


def input_name(i: int, other_set: int | None = None) -> str:
    """The name in ``inputs.npz`` of an input of the set that the verdict is about, or of another set."""
    return f"input_{i}" if other_set is None else f"set_{other_set}_input_{i}"


def stored_arrays(case: Case, verdict: Verdict, artifacts: list[Artifact]) -> dict[str, np.ndarray]:
    """What ``inputs.npz`` holds: inputs, constants, and the allowed differences; bfloat16 as the uint16 of its bits."""
    arrays = {
        input_name(i, None if s == verdict.inputs else s): array
        for s, one in enumerate(case.inputs)
        for i, array in enumerate(one)
    }
    for artifact in artifacts:
        arrays.update(artifact.arrays)
    arrays.update({name: getattr(verdict, name) for name in _ARRAY_FIELDS if getattr(verdict, name) is not None})
    bfloat16 = dtypes.to_numpy("bfloat16")
    return {
        (name + _BFLOAT16 if array.dtype == bfloat16 else name): (
            array.view(np.uint16) if array.dtype == bfloat16 else array
        )
        for name, array in arrays.items()
    }


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The inverse of `stored_arrays`."""
    bfloat16 = dtypes.to_numpy("bfloat16")
    with np.load(path) as stored:
        return {
            name.removesuffix(_BFLOAT16): stored[name].view(bfloat16) if name.endswith(_BFLOAT16) else stored[name]
            for name in stored.files
        }


def _read(folder: Path, name: str, otherwise: str) -> dict[str, Any]:
    path = folder / name
    if not path.is_file():
        raise FindingError(f"{folder} {otherwise} (there is no {name})")
    try:
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FindingError(f"{path} is damaged: {error}") from None
    return read
