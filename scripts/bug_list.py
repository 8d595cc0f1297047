"""The list of bugs found, ``artifacts/bugs/status.toml``, and the tables made from it in the README.md there."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from packaging.version import Version

FOLDER = Path(__file__).resolve().parents[1] / "artifacts/bugs"
LIST = FOLDER / "status.toml"
README = FOLDER / "README.md"

COMPONENTS = ("optimizer", "code generator", "kernel", "importer", "framework")
"""The components that can have a bug: see README.md."""

SHOWS, RIGHT, DEPENDS = STATUSES = ("shows", "right", "depends")
"""The results of a reproducer on a release: it shows the bug, is right, or that depends on something."""

NAMES = {
    "inductor": "TorchInductor",
    "onnxruntime": "ONNX Runtime",
    "tvm": "TVM",
    "xla": "XLA in TensorFlow",
    "tensorflow": "TensorFlow",
    "torch": "PyTorch",
    "openvino": "OpenVINO",
    "jax": "XLA in JAX",
    "iree": "IREE",
    "torch-onnx": "Torch's exporter to ONNX",
    "tvm-torch": "TVM's importer of Torch programs",
    "openvino-torch": "OpenVINO's frontend for Torch",
}
"""The usual name of each compiler. ``tensorflow`` and ``torch`` are frameworks whose packages contain a compiler."""

_PACKAGE_OF = {
    "tensorflow": "xla",
    "torch": "inductor",
    "torch-onnx": "inductor",
    "tvm-torch": "tvm",
    "openvino-torch": "openvino",
}
"""The compilers whose packages have further ones, too."""

_OPEN, _MENDED = "open", "mended"
HEAD = (
    *("number", "compiler", "kind", "what", "float64", "uncompiled", "compiled", "component", "where it is"),
    *("mainstream configuration", "releases", "reported"),
)
"""The columns of the tables in README.md, which explains them."""


class ListError(ValueError):
    """The list is not valid; the message names the bug and the problem."""


@dataclass(frozen=True)
class Bug:
    """One entry of the list; README.md explains the fields."""

    number: str
    compiler: str
    title: str
    kind: str
    component: str
    mainstream: bool
    what: str
    where: str
    status: Mapping[str, str]
    setting: str = ""
    float64: str = ""
    uncompiled: str = ""
    compiled: str = ""
    reported: str = ""
    upstream: Sequence[str] = field(default_factory=tuple)
    duplicate_of: str = ""
    needs: str = ""

    @property
    def package(self) -> str:
        """The compiler whose package has the bug."""
        return _PACKAGE_OF.get(self.compiler, self.compiler)

    @property
    def folder(self) -> Path:
        """The bug's folder. Raises ListError if there is none, or several."""
        found = list(FOLDER.glob(f"{self.number}-{self.compiler}-*"))
        if len(found) != 1:
            raise ListError(f"{LIST}, bug {self.number}: there is no folder {self.number}-{self.compiler}-...")
        return found[0]


@dataclass(frozen=True)
class BugList:
    """All bugs, and the ``newest`` release of each compiler's package that `make bugs` can install."""

    newest: Mapping[str, str]
    bugs: Sequence[Bug]

    def is_mended(self, bug: Bug) -> bool:
        """Whether the last release that was tried no longer shows the bug; one may need a newer Python."""
        return bug.status[max(bug.status, key=Version)] == RIGHT


def read(path: Path | None = None) -> BugList:
    """Read the list from a file, by default from artifacts/bugs. Raises ListError, OSError."""
    path = path or LIST
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ListError(f"{path} is not TOML: {error}") from None
    return BugList(content["newest"], [_bug(path, entry) for entry in content["bug"]])


def _bug(path: Path, entry: Mapping[str, Any]) -> Bug:
    place = f"{path}, bug {entry.get('number', '?')}"
    unknown = entry.keys() - {one.name for one in fields(Bug)}
    if unknown:
        raise ListError(f"{place}: {min(unknown)} is unknown")
    try:
        bug = Bug(**entry)
    except TypeError as error:
        raise ListError(f"{place}: {error}") from None
    if bug.component not in COMPONENTS:
        raise ListError(f"{place}: component {bug.component} is not one of {', '.join(COMPONENTS)}")
    if bug.compiler not in NAMES:
        raise ListError(f"{place}: compiler {bug.compiler} is not one of {', '.join(NAMES)}")
    if wrong := set(bug.status.values()).difference(STATUSES):
        raise ListError(f"{place}: status {min(wrong)} is not one of {', '.join(STATUSES)}")
    return bug


def with_tables(text: str, bugs: BugList) -> str:
    """Return the text of README.md with tables made from the list. Raises ListError if it has no place for one."""
    for name, mended in ((_OPEN, False), (_MENDED, True)):
        begin, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->"
        before, found, rest = text.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            raise ListError(f"{README} needs {begin.strip()} and {end}")
        rows = [cells(bug, "no" if mended else "not yet") for bug in bugs.bugs if bugs.is_mended(bug) == mended]
        text = before + begin + _table(rows) + end + after
    return text


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [HEAD, ("---",) * len(HEAD), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cells(bug: Bug, unreported: str) -> list[str]:
    """Return a bug's cells for the columns of HEAD; ``unreported`` stands for a missing report."""
    setting = f", `{bug.setting}`" if bug.setting else ""
    duplicate = f". It counts as {bug.duplicate_of}" if bug.duplicate_of else ""
    return [
        f"[{bug.number}]({bug.folder.name})",
        NAMES[bug.compiler] + setting,
        bug.kind,
        bug.what,
        bug.float64,
        bug.uncompiled,
        bug.compiled,
        bug.component,
        bug.where + duplicate,
        "yes" if bug.mainstream else "no",
        ", ".join(f"{version} {_sentence(bug, bug.status[version])}" for version in sorted(bug.status, key=Version)),
        bug.reported or unreported,
    ]


def _sentence(bug: Bug, status: str) -> str:
    return f"depends on {bug.needs}" if status == DEPENDS else status
