"""Read a suite's folder: its cases with their programs and arrays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import program_formats
from polyjuice.execution import Artifact
from polyjuice.execution.protocol import from_wire
from polyjuice.suite.carried.harness import judging
from polyjuice.suite.options import SuiteError


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
        """The programs of a format by side; none where the case lacks the format."""
        return {
            side: self._artifact(format, program) for side, program in self.case["programs"].get(format, {}).items()
        }

    def _artifact(self, format: str, program: Mapping[str, Any]) -> Artifact:
        source = (self.folder / program["file"]).read_bytes()
        return Artifact(
            format,
            source if program_formats.find(format).binary else source.decode(),
            {name: from_wire(self.arrays[name]) for name in program["arrays"]},
            tuple(program["arguments"]),
            program["results"],
            program["setup"],
            tuple(program["idioms"]),
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
        case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
        return StoredCase(folder, case, judging.read_arrays(folder / "inputs.npz"))
    except (OSError, ValueError) as error:
        raise SuiteError(f"{folder} is not a whole case: {error}") from None
