"""The compilers under test: one file each, found by name and never imported by the host.

A compiler file runs inside a worker process, in the compiler's own interpreter, which may be Python 3.9 and
need not have Polyjuice installed. It imports only the standard library, NumPy and its framework; neighbours
whose name begins with "_" may be imported relatively. `CompilerFile` says what it defines. This module, on
the host's side, only finds such files and reads two string constants out of their text.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypedDict

from numpy.typing import NDArray

ENTRY_POINTS = "polyjuice.compilers"
FORMATS = ("torch", "onnx", "tensorflow")

_FOLDER = Path(__file__).parent
# A control that is no framework's compiler lives with the room that it needs, not in this folder.
_ELSEWHERE = (("numpy", _FOLDER.parent / "campaign" / "numpy_control.py"),)

Array = tuple[str, NDArray[Any]]
"""An array in a worker: (dtype name, values); bfloat16 is held as the uint16 of its bits."""


class WorkerArtifact(TypedDict):
    """What `load` is given: Python source (torch, tensorflow) or a serialized model (onnx), arrays, and how the
    program is to be called or compiled, which only the Torch compilers need (compilers/_torch.py).
    """

    source: str | bytes
    arrays: dict[str, Array]
    setup: dict[str, Any]


class CompilerFile(Protocol):
    """What a compiler file defines, as a module. Methods marked optional may be left out.

    Calls come in this order: version, check, prepare, start; then for each artifact load, eager, compile, run, trace.
    Arrays that a function receives are shared by the later calls for the artifact: copy before writing into
    them. An exception is an `error` of the compiler when `compile` or `run` raises it, and `unsupported`, no
    bug, when `load` or `eager` does, or when it is a NotImplementedError.
    """

    FORMAT: str
    """The artifact format it takes, one of FORMATS: a string literal."""

    NEEDS: str
    """Optional, a string literal: what to install, as in "torch>=2.1: pip install 'polyjuice-fuzzer[xy]'"."""

    LACKS: str
    """Optional, a string literal: idioms that its importer does not take, separated by commas (ONNX: `functions`,
    `symbolic sizes`, `constant nodes`)."""

    PROBE: str
    """Optional, a string literal: `eager` where whatever the framework runs uncompiled is compiled too, so that it is
    enough to ask `eager` whether an operator is taken."""

    SPEED: str
    """Optional, a string literal: `fast` where a graph takes about a millisecond, so that it pays to rewrite sixteen
    graphs together before the first is compiled."""

    FORKS: str
    """Optional, a string literal: `no` where a process that has imported the framework cannot be forked safely. The
    file says why. Its workers then start from scratch."""

    BATCHES: str
    """Optional, a string literal: `yes` where several programs can be compiled in less time together (`draft`)."""

    NODES: str
    """Optional, a string literal: how many operators a generated seed graph has unless the user says; 10 where this is
    not said. More pay where a program costs much whatever its size."""

    PACK: str
    """Optional, a string literal: how many small programs are compiled as one (see :mod:`polyjuice.packs`); 1 where
    this is not said. More pay where a compilation costs much whatever its size."""

    EXCESS_PRECISION: str
    """Optional, a string literal: the element types, separated by blanks, to which the compiler documents that it may
    not round where a program casts. The file says where that is documented. A cast to another type must round."""

    EDGE_POLICIES: str
    """Optional, a string literal of lines ``Operator: source`` or ``Operator type: source``: operators of which the
    compiler decided what they give on NaN, infinities, ties or zeros, otherwise than ONNX or its framework. A source is
    the address of the documentation, or of the issue in which the maintainers say so. Such results are not judged."""

    REPRO_IMPORTS: str
    """Optional, a string literal: the lines that a reproducer for this compiler imports the framework with."""

    REPRO: str
    """A string literal: source for reproducers that defines `prepare(model, inputs, ...)`, which compiles a model of
    FORMAT for the framework's tensors (ONNX: for arrays), and returns a function that runs it on them and returns the
    outputs; compilation may wait for its first call. It takes `level` where there are LEVELS; a process asks for one
    level only."""

    REPRO_NARROW: str
    """Optional, a string literal: what stands in the place of REPRO where inputs or outputs are of types that NumPy
    lacks, if that takes more."""

    LEVELS: str
    """Optional, a string literal: the values of the option `level`, from no optimization to all, the default."""

    def version(self) -> str:
        """The framework's version. Raises ImportError where the framework is missing."""

    def check(self) -> None:
        """Raises RuntimeError, in one line that says what to install, where the environment lacks it."""

    def prepare(self, options: dict[str, Any]) -> None:
        """Optional: what all workers share, done once in the process that they are forked from.

        Options: `device`, and the folders `scratch` and `toolchain` (see `start`). No thread may run afterwards.
        """

    def start(self, options: dict[str, Any]) -> None:
        """Prepare the process, once. RuntimeError with one line where the options cannot be had.

        Options: `device` (cpu or cuda), `threads`, `level` (one of LEVELS), `disable` (names from `knobs` to
        switch off), `trace` (true where `trace` is to answer in full, which may slow compilation down), and folders:
        `scratch`, removed with the process, `toolchain`, which outlives it and is shared by workers, and perhaps
        `objects`, shared by a few, where what a C++ compiler makes of one source may be kept for all of them.
        """

    def load(self, artifact: WorkerArtifact) -> Any:
        """The program, as the framework has it, before the compiler under test has seen it."""

    def eager(self, program: Any, inputs: Sequence[Array]) -> Sequence[Array]:
        """Optional: the framework's own run without the compiler."""

    def compile(self, program: Any, inputs: Sequence[Array]) -> Any:
        """Compile; a compiler that works at the first call makes that call here."""

    def draft(self, program: Any, inputs: Sequence[Array]) -> Any:
        """With BATCHES: `compile` up to what `build` does for several programs; `run` takes it after that."""

    def build(self) -> None:
        """With BATCHES: compile what the drafts since the last time have left to do, all together."""

    def run(self, compiled: Any, inputs: Sequence[Array]) -> Sequence[Array]:
        """Run what `compile` returned.

        What this and `eager` return may have an attribute `memory`, plain data that says what the run did to memory
        (see `execution.Memory`).
        """

    def knobs(self) -> list[str]:
        """Names of parts of the compiler that can be switched off by the option `disable`, for bisection.

        Those that are better switched off come first. A name that ends in `*` is that of a family, of which a program
        may use some members: those entries of its trace that begin so, and can be switched off alone. A trace names
        the members that were switched off, too, with `without` in front.
        Where no trace names members, bisection switches off the family first, and learns of them from that.
        What is declared in front of the first family leaves all of their members as they are, and is tried first.
        """

    def trace(self, compiled: Any) -> list[str]:
        """Optional: what the compiler did (passes that changed the program, patterns, kernels); called after each run,
        and cheap unless the option `trace` is set. What can be switched off has the name that `knobs` gives it."""


class EnvironmentProblem(Exception):
    """Something outside Polyjuice is missing; the message is one line that says what to do."""


@dataclass(frozen=True)
class CompilerInfo:
    """A compiler file that was found, and what its constants say: see `CompilerFile`."""

    name: str
    path: Path
    format: str
    needs: str
    repro_imports: str
    repro: str
    lacks: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    probe_compiles: bool = True
    fast: bool = False
    forks: bool = True
    batches: bool = False
    excess_precision: tuple[str, ...] = ()
    nodes: int = 10
    pack: int = 1
    edge_policies: Mapping[str, str] = field(default_factory=dict)
    repro_narrow: str = ""


def names() -> list[str]:
    """The names of all compilers found, available here or not, sorted."""
    return sorted(_files())


def find(name: str) -> CompilerInfo:
    """The compiler of that name. Raises EnvironmentProblem where there is none, or one without FORMAT."""
    files = _files()
    if name not in files:
        raise EnvironmentProblem(f"no compiler is called {name!r}; there are {', '.join(sorted(files))}")
    return read(name, files[name])


def is_installed(name: str) -> bool:
    """Whether this interpreter has the modules that a compiler's file imports; none of them is imported for that.

    Raises EnvironmentProblem where no compiler has that name.
    """
    return all(importlib.util.find_spec(module) for module in _imported(find(name).path))


def _imported(path: Path) -> set[str]:
    """The packages that a Python file imports from elsewhere, without the standard library's."""
    found: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
        if isinstance(statement, ast.Import):
            found.update(alias.name.split(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
            found.add(statement.module.split(".")[0])
    return found - sys.stdlib_module_names


def read(name: str, path: Path) -> CompilerInfo:
    """Describe the compiler file at `path`, by its text alone. Raises EnvironmentProblem where a constant is wrong."""
    constants = _string_constants(path)
    declared = constants.get("FORMAT")
    if declared not in FORMATS:
        raise EnvironmentProblem(f"{path}: FORMAT must be one of {', '.join(FORMATS)}, not {declared!r}")
    nodes = _number(path, constants, "NODES", CompilerInfo.nodes)
    return CompilerInfo(
        name,
        path,
        declared,
        constants.get("NEEDS", "its framework: install it there"),
        constants.get("REPRO_IMPORTS", ""),
        constants.get("REPRO", ""),
        tuple(name.strip() for name in constants.get("LACKS", "").split(",") if name.strip()),
        tuple(constants.get("LEVELS", "").split()),
        constants.get("PROBE") != "eager",
        constants.get("SPEED") == "fast",
        constants.get("FORKS") != "no",
        constants.get("BATCHES") == "yes",
        tuple(constants.get("EXCESS_PRECISION", "").split()),
        nodes,
        _number(path, constants, "PACK", CompilerInfo.pack),
        _policies(path, constants.get("EDGE_POLICIES", "")),
        constants.get("REPRO_NARROW", ""),
    )


def _number(path: Path, constants: Mapping[str, str], name: str, default: int) -> int:
    """A constant that is a number above 0, in quotes. Raises EnvironmentProblem for another."""
    text = constants.get(name, str(default))
    if not text.isdecimal() or not int(text):
        raise EnvironmentProblem(f"{path}: {name} must be a number in quotes, not {text!r}")
    return int(text)


def _policies(path: Path, text: str) -> dict[str, str]:
    """The source of each policy, by operator, or operator and type. Raises EnvironmentProblem for one without any."""
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, _, source = line.partition(": ")
        if not source:
            raise EnvironmentProblem(f"{path}: EDGE_POLICIES must have lines 'Operator: source', not {line!r}")
        found[key] = source
    return found


def _files() -> dict[str, Path]:
    """Name to file. The files of this folder win over entry points of the same name."""
    found = {}
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        path = _locate(entry.module)
        if path is not None:
            found[entry.name] = path
    found.update({name: path for name, path in _ELSEWHERE if path.is_file()})
    found.update({path.stem: path for path in _FOLDER.glob("*.py") if not path.name.startswith("_")})
    return found


def _locate(module: str) -> Path | None:
    """The file of a module. Unlike importlib.util.find_spec, imports not even the packages that hold it."""
    folders: Sequence[str] | None = None
    for depth in range(1, module.count(".") + 2):
        spec = importlib.machinery.PathFinder.find_spec(".".join(module.split(".")[:depth]), folders)
        if spec is None:
            return None
        folders = spec.submodule_search_locations
    return Path(spec.origin) if spec and spec.origin else None


def _string_constants(path: Path) -> dict[str, str]:
    """The module-level `NAME = "literal"` assignments of a Python file."""
    return {
        target.id: statement.value.value
        for statement in ast.parse(path.read_text(encoding="utf-8"), str(path)).body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
