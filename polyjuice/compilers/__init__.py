"""The compilers under test: one file each, found by name and never imported by the host.

A compiler file runs inside a worker process, in the compiler's own interpreter. That interpreter may be Python 3.9 and
need not have Polyjuice. The file imports only the standard library, NumPy and its framework; it may import neighbours
whose names begin with "_" relatively. `CompilerFile` describes its contents. This module runs on the host: it finds
such files and reads string constants from their text.
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
# The control `numpy` is not a framework's compiler, so it lies beside the campaign code that needs it.
_ELSEWHERE = (("numpy", _FOLDER.parent / "campaign" / "numpy_control.py"),)

Array = tuple[str, NDArray[Any]]
"""An array in a worker: (dtype name, values); a bfloat16 array holds its bits as uint16."""


class WorkerArtifact(TypedDict):
    """The argument of `load`: Python source (torch, tensorflow) or a serialized model (onnx), arrays, and a setup.

    The setup says how to call and compile the program. Only the Torch compilers need it (compilers/_torch.py).
    """

    source: str | bytes
    arrays: dict[str, Array]
    setup: dict[str, Any]


class CompilerFile(Protocol):
    """The contents of a compiler file, as a module. Methods marked optional may be missing.

    Calls come in this order: version, check, prepare, start; then for each artifact load, eager, compile, run, trace.
    Later calls for an artifact share the arrays that a function receives: copy before writing into them. An exception
    from `compile` or `run` is an `error` of the compiler. One from `load` or `eager`, or a NotImplementedError, means
    `unsupported`, which is no bug.
    """

    FORMAT: str
    """The artifact format that the compiler takes, one of FORMATS: a string literal."""

    NEEDS: str
    """Optional, a string literal: what to install, as in "torch>=2.1: pip install 'polyjuice-fuzzer[xy]'"."""

    LACKS: str
    """Optional, a string literal: idioms that its importer rejects, separated by commas (ONNX: `functions`, `symbolic
    sizes`, `constant nodes`)."""

    PROBE: str
    """Optional, a string literal: `eager` where the compiler takes everything that the framework runs uncompiled. The
    support probe then calls only `eager`."""

    SPEED: str
    """Optional, a string literal: `fast` where a graph takes about a millisecond. It then pays to rewrite sixteen
    graphs together before the first is compiled."""

    FORKS: str
    """Optional, a string literal: `no` where forking a process that has imported the framework is unsafe. The file says
    why. Its workers then start from scratch."""

    BATCHES: str
    """Optional, a string literal: `yes` where compiling several programs together takes less time (`draft`)."""

    NODES: str
    """Optional, a string literal: the default number of operators of a generated seed graph; 10 where this is missing.
    A larger number pays where a program costs much whatever its size."""

    PACK: str
    """Optional, a string literal: how many small programs are compiled as one (see :mod:`polyjuice.packs`); 1 where
    this is missing. A larger number pays where a compilation costs much whatever its size."""

    EXCESS_PRECISION: str
    """Optional, a string literal: element types, separated by blanks, for which the compiler documents that it may skip
    the rounding of a cast. The file names that documentation. A cast to another type must round."""

    EDGE_POLICIES: str
    """Optional, a string literal of lines ``Operator: source`` or ``Operator type: source``. For these operators the
    compiler chose results on NaN, infinities, ties or zeros that differ from ONNX or its framework. The source is the
    URL of the documentation, or of the issue in which the maintainers say so. Such results are not judged."""

    REPRO_IMPORTS: str
    """Optional, a string literal: the lines with which a reproducer for this compiler imports the framework."""

    REPRO: str
    """A string literal: source for reproducers that defines `prepare(model, inputs, ...)`. `prepare` compiles a model
    of FORMAT for the framework's tensors (ONNX: for arrays). It returns a function that runs the model on them and
    returns the outputs; compilation may wait for the first call. It takes `level` where there are LEVELS; a process
    uses one level."""

    REPRO_NARROW: str
    """Optional, a string literal: replaces REPRO where inputs or outputs have types that NumPy lacks, if these need
    more code."""

    LEVELS: str
    """Optional, a string literal: the values of the option `level`, from no optimization to all, the default."""

    def version(self) -> str:
        """Return the framework's version. Raises ImportError where the framework is missing."""

    def check(self) -> None:
        """Raise RuntimeError where the environment lacks something; the message is one line on what to install."""

    def prepare(self, options: dict[str, Any]) -> None:
        """Optional: do the work that all workers share, once, in the process from which they are forked.

        Options: `device`, and the folders `scratch` and `toolchain` (see `start`). No thread may run afterwards.
        """

    def start(self, options: dict[str, Any]) -> None:
        """Prepare the process, once. Raises RuntimeError with one line where the options are not available.

        Options:

        - `device` (cpu or cuda), `threads`, `level` (one of LEVELS), `disable` (names from `knobs` to switch off);
        - `trace`: true if `trace` must answer in full, which may slow compilation down;
        - `scratch`, a folder that is removed with the process;
        - `toolchain`, a folder that outlives the process and that workers share;
        - `objects`, optional: a folder in which some workers share the output of the C++ compiler.
        """

    def load(self, artifact: WorkerArtifact) -> Any:
        """Return the program in the framework's form, before the compiler under test has seen it."""

    def eager(self, program: Any, inputs: Sequence[Array]) -> Sequence[Array]:
        """Optional: run the program in the framework without the compiler."""

    def compile(self, program: Any, inputs: Sequence[Array]) -> Any:
        """Compile; a compiler that works at the first call makes that call here."""

    def draft(self, program: Any, inputs: Sequence[Array]) -> Any:
        """With BATCHES: `compile` without the work that `build` does for several programs; `run` takes the result after
        `build`.
        """

    def build(self) -> None:
        """With BATCHES: finish the compilation of all drafts since the last call, together."""

    def run(self, compiled: Any, inputs: Sequence[Array]) -> Sequence[Array]:
        """Run the result of `compile`.

        The result of `run` and `eager` may have an attribute `memory`: plain data on the run's effects on memory (see
        `execution.Memory`).
        """

    def knobs(self) -> list[str]:
        """Return the names of parts that the option `disable` can switch off, for bisection.

        Names that are preferable to blame come first. A name that ends in `*` is a family: its members are the trace
        entries with that prefix, and each can be switched off alone. A trace also names members that were switched off,
        after `without`. Where no trace names members, bisection switches off the family first, and learns its members
        from that trace. Names before the first family do not switch off members of any family, and are tried first.
        """

    def trace(self, compiled: Any) -> list[str]:
        """Optional: return what the compiler did (passes that changed the program, patterns, kernels), after each run.

        This is cheap unless the option `trace` is set. Parts have the names that `knobs` returns.
        """


class EnvironmentProblem(Exception):
    """Something outside Polyjuice is missing; the message is one line that says what to do."""


@dataclass(frozen=True)
class CompilerInfo:
    """A compiler file and the values of its constants: see `CompilerFile`."""

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
    """The compiler of that name. Raises EnvironmentProblem where there is none, or its file has no FORMAT."""
    files = _files()
    if name not in files:
        raise EnvironmentProblem(f"no compiler is called {name!r}; there are {', '.join(sorted(files))}")
    return read(name, files[name])


def is_installed(name: str) -> bool:
    """Whether this interpreter has the modules that a compiler's file imports, without importing them.

    Raises EnvironmentProblem where no compiler has that name.
    """
    return all(importlib.util.find_spec(module) for module in _imported(find(name).path))


def _imported(path: Path) -> set[str]:
    """The packages that a Python file imports, without relative imports and the standard library."""
    found: set[str] = set()
    for statement in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
        if isinstance(statement, ast.Import):
            found.update(alias.name.split(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
            found.add(statement.module.split(".")[0])
    return found - sys.stdlib_module_names


def read(name: str, path: Path) -> CompilerInfo:
    """Describe the compiler file at `path` from its text alone. Raises EnvironmentProblem where a constant is wrong."""
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
    """A constant that is a positive number in quotes. Raises EnvironmentProblem for anything else."""
    text = constants.get(name, str(default))
    if not text.isdecimal() or not int(text):
        raise EnvironmentProblem(f"{path}: {name} must be a number in quotes, not {text!r}")
    return int(text)


def _policies(path: Path, text: str) -> dict[str, str]:
    """The source of each policy, by operator, or operator and type. Raises EnvironmentProblem for a line without a
    source.
    """
    found = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, _, source = line.partition(": ")
        if not source:
            raise EnvironmentProblem(f"{path}: EDGE_POLICIES must have lines 'Operator: source', not {line!r}")
        found[key] = source
    return found


def _files() -> dict[str, Path]:
    """The files by compiler name. The files of this folder win over entry points of the same name."""
    found = {}
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        path = _locate(entry.module)
        if path is not None:
            found[entry.name] = path
    found.update({name: path for name, path in _ELSEWHERE if path.is_file()})
    found.update({path.stem: path for path in _FOLDER.glob("*.py") if not path.name.startswith("_")})
    return found


def _locate(module: str) -> Path | None:
    """The file of a module. Unlike importlib.util.find_spec, this does not import the packages that contain it."""
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
