"""Read a suite's folder: its cases with their programs and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from polyjuice import program_formats
from polyjuice.execution import Artifact
from polyjuice.execution.protocol import from_wire
from polyjuice.stored_files import StoredError, read_json, read_stored_arrays
from polyjuice.suite.carried.harness import judging
from polyjuice.suite.options import SuiteError


class _Declared(TypedDict):
    """The type of an input or an output."""

    dtype: str
    shape: Sequence[int]


class _Program(TypedDict):
    file: str
    arrays: Sequence[str]
    arguments: Sequence[str]
    results: int | None
    setup: Mapping[str, Any]
    idioms: Sequence[str]


class _Case(TypedDict):
    """The fields that running a case needs of its ``case.json``."""

    inputs: Sequence[_Declared]
    outputs: Sequence[_Declared]
    programs: Mapping[str, Mapping[str, _Program]]


@dataclass(frozen=True)
class StoredCase:
    """A case: the content of ``case.json``, and the arrays of ``inputs.npz`` in the workers' form."""

    folder: Path
    case: Mapping[str, Any]
    arrays: Mapping[str, judging.Array]

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def inputs(self) -> tuple[np.ndarray, ...]:
        """The arrays of its inputs, in order."""
        return tuple(map(from_wire, judging.inputs_of(self.case, self.arrays)))

    def artifacts(self, format: str) -> dict[str, Artifact]:
        """The programs of a format by side; none where the case lacks the format. Raises SuiteError."""
        return {
            side: self._artifact(format, program) for side, program in self.case["programs"].get(format, {}).items()
        }

    def _artifact(self, format: str, program: Mapping[str, Any]) -> Artifact:
        source = (self.folder / program["file"]).read_bytes()
        try:
            text = source if program_formats.find(format).binary else source.decode()
        except UnicodeDecodeError:
            raise SuiteError(f"{self.folder / program['file']} is no text in UTF-8") from None
        return Artifact(
            format=format,
            source=text,
            arrays={name: from_wire(self.arrays[name]) for name in program["arrays"]},
            arguments=tuple(program["arguments"]),
            results=program["results"],
            setup=program["setup"],
            idioms=tuple(program["idioms"]),
        )


def folder_of(suite: Path, number: int) -> Path:
    """The folder of a case."""
    return suite / f"case-{number:05d}"


def is_suite(folder: Path) -> bool:
    """Whether a folder is a suite."""
    return (folder / "suite.json").is_file()


def case_folders(suite: Path) -> list[Path]:
    """The folders of a suite's cases, in order. Raises SuiteError where it is no suite, or has no case."""
    if not is_suite(suite):
        raise SuiteError(f"{suite} is not a suite (there is no suite.json); polyjuice suite build makes one")
    folders = sorted(path.parent for path in suite.glob("case-*/case.json"))
    if not folders:
        raise SuiteError(f"{suite} holds no case")
    return folders


def next_number(suite: Path) -> int:
    """The number of the next case."""
    return max((int(path.name.rpartition("-")[2]) + 1 for path in suite.glob("case-[0-9]*")), default=0)


def load(folder: Path) -> StoredCase:
    """Read a case. Raises SuiteError."""
    try:
        case: _Case = read_json(folder / "case.json", _Case)
        arrays = judging.typed(read_stored_arrays(folder / "inputs.npz"))
    except StoredError as error:
        raise SuiteError(f"{folder} is not a whole case: {error}") from None
    if problem := _problem(folder, case, arrays):
        raise SuiteError(f"{folder} is not a whole case: {problem}")
    return StoredCase(folder, case, arrays)


def _problem(folder: Path, case: _Case, arrays: Mapping[str, judging.Array]) -> str:
    """The first mistake in a case, in words; "" where there is nothing."""
    sides = {side for programs in case["programs"].values() for side in programs}
    programs = [program for programs in case["programs"].values() for program in programs.values()]
    names = [name for program in programs for name in program["arrays"]]
    names += [f"input_{i}" for i in range(len(case["inputs"]))]
    for k in range(len(case["outputs"])):
        names += [f"expected_{k}", *(f"allowed_{side}_{k}" for side in sorted(sides))]
    if missing := next((name for name in names if name not in arrays), None):
        return f"inputs.npz lacks {missing!r}"
    for i, declared in enumerate(case["inputs"]):
        if text := judging.mistyped(arrays[f"input_{i}"], declared):
            return f"input {i} has {text}"
    for k, declared in enumerate(case["outputs"]):
        shape = tuple(declared["shape"])
        if arrays[f"expected_{k}"][1].shape != shape:
            return f"expected_{k} has the shape {arrays[f'expected_{k}'][1].shape}, and the output {k} has {shape}"
        plain = [f"allowed_{side}_{k}" for side in sides]
        tolerances = [*plain, *(f"{name}_{format}" for name in plain for format in case["programs"])]
        allowed = [arrays[name][1] for name in tolerances if name in arrays]
        if any(array.shape not in ((), shape) or array.dtype.kind != "f" for array in allowed):
            return f"a tolerance of output {k} is no number for each element"
    for program in programs:
        file = program["file"]
        if "/" in file or "\0" in file or not (folder / file).is_file():
            return f"the program {file!r} is not in its folder"
    return ""
