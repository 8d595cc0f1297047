"""The compilers under test: one file each, found by name and never imported by the host.

A compiler file runs inside a worker process, in the compiler's own interpreter. That interpreter may be Python 3.9 and
need not have Polyjuice. The file imports only the standard library, NumPy and its framework; it may import neighbours
whose names begin with "_" relatively. `CompilerFile` describes its contents. This module runs on the host: it finds
such files, reads the literal `INFO` from their text, and checks it.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypedDict, get_origin, get_type_hints

from numpy.typing import NDArray

from polyjuice import plugins
from polyjuice.frameworks import registry
from polyjuice.plugins import EnvironmentProblem as EnvironmentProblem
from polyjuice.wording import did_you_mean

_FOLDER = Path(__file__).parent

VARIABLE, THREADS = "variable ", "threads"
"""The prefix of knobs that are environment variables, and the name of one for threads (`CompilerInfo.conditions`)."""

SETTING = "setting "
"""The prefix of a knob that is a way to run the compiler, such as a plan of its memory, and no part of it."""

Array = tuple[str, NDArray[Any]]
"""An array in a worker: (dtype name, values); a bfloat16 array holds its bits as uint16."""


def is_family(knob: str) -> bool:
    """Whether a knob stands for a family: all trace entries that begin with its name up to the "*"."""
    return knob.endswith("*")


class WorkerArtifact(TypedDict):
    """The argument of `load`: Python source (torch, tensorflow) or a serialized model (onnx), arrays, and a setup.

    The setup says how to call and compile the program. Only the Torch compilers need it (compilers/_torch.py).
    """

    source: str | bytes
    arrays: dict[str, Array]
    setup: dict[str, Any]


class CompilerFile(Protocol):
    """The contents of a compiler file, as a module. Methods marked optional may be missing.

    Calls come in this order: version, check, prepare, start, knobs, anytime; then for each artifact load, eager,
    compile, run, trace. Later calls for an artifact share the arrays that a function receives: copy before writing into
    them. An exception from `compile` or `run` is an `error` of the compiler. One from `load` or `eager`, or a
    NotImplementedError, means `unsupported`, which is no bug.
    """

    INFO: Mapping[str, Any]
    """The facts that the host knows of the compiler: one literal with fields of `CompilerInfo`, except `name` and
    `path`. A list of texts stands for a tuple."""

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

        - `device` (cpu or cuda), `threads`, `level` (one of the levels), `disable` (names from `knobs` to switch off);
        - `first`: passes to run before all others, among those of `anytime`;
        - `trace`: true if `trace` must answer in full, which may slow compilation down; `passes` if it must also name
          the passes that changed nothing, as `NAME: no change`, where the compiler tells;
        - `scratch`, a folder that is removed with the process;
        - `toolchain`, a folder that outlives the process and that workers share;
        - `compiled`, a folder that workers of one host share, for what they compile; files in it may vanish.
        """

    def load(self, artifact: WorkerArtifact) -> Any:
        """Return the program in the framework's form, before the compiler under test has seen it."""

    def eager(self, program: Any, inputs: Sequence[Array]) -> Sequence[Array]:
        """Optional: run the program in the framework without the compiler."""

    def compile(self, program: Any, inputs: Sequence[Array]) -> Any:
        """Compile; a compiler that works at the first call makes that call here."""

    def draft(self, program: Any, inputs: Sequence[Array]) -> Any:
        """With `batches`: `compile` without the work that `build` does for several programs. `run` takes the result
        after `build`.
        """

    def build(self) -> None:
        """With `batches`: finish the compilation of all drafts since the last call, together."""

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

    def anytime(self) -> list[str]:
        """Optional: the passes that may run in any order before the compiler's own (the option `first`).

        `prepare` of ``repro`` takes some of them as ``first``.
        """

    def trace(self, compiled: Any) -> list[str]:
        """Optional: return what the compiler did (passes that changed the program, patterns, kernels), after each run.

        They are in order, and repeated where the compiler repeats them. This is cheap unless the option `trace` is set.
        Parts have the names that `knobs` returns.
        """


@dataclass(frozen=True, kw_only=True)
class CompilerInfo:
    """A compiler: its name, the path of its file, and the fields of the file's ``INFO``. Most have a default."""

    name: str
    """The name for the option ``--compiler``; not in ``INFO``."""

    path: Path
    """The compiler file; not in ``INFO``."""

    format: str
    """The artifact format that the compiler takes, a name in :mod:`polyjuice.frameworks.registry`."""

    needs: str
    """The packages to install, as in "torch>=2.1: pip install 'polyjuice-fuzzer[xy]'" (see `needed`)."""

    repro: str
    """Source for reproducers that defines `prepare(model, inputs, ...)`. `prepare` compiles a model of the format for
    the framework's tensors (ONNX: for arrays). It returns a function that runs the model on them and returns the
    outputs; compilation may wait for the first call. It takes `level` where there are levels; a process uses one
    level."""

    repro_imports: str = ""
    """The lines with which a reproducer imports the framework."""

    repro_call: str = ""
    """An expression with which the compiler's users compile and run a program, for short reproducers. ``$model`` stands
    for the program, a function of tensors or a serialized model, and ``$inputs`` for its arguments. ``$feeds`` is a
    dictionary of them by name, and ``$options`` has further arguments of the compiler, each after a comma. With ""
    reproducers call `prepare`."""

    repro_options: Mapping[str, str] = field(default_factory=dict)
    """The text in ``$options`` for keys of a program's setup that are set."""

    repro_narrow: str = ""
    """Replaces `repro` where inputs or outputs have types that NumPy lacks, if these need more code."""

    repro_functions: str = ""
    """The file beside this one whose text reproducers hold where an ONNX model has local functions."""

    targets: str = ""
    """The name of its target file (``rules/targets/NAME.egg``), where that is another compiler's."""

    traced: int = 32
    """After how many cases one compiles its programs once more with a trace, for coverage. That takes at most a
    twentieth of the time. 1 means that a trace costs little: then every compilation has one."""

    lacks: tuple[str, ...] = ()
    """Idioms that its importer rejects. ONNX: `functions`, `symbolic sizes`, `constant nodes`, and `com.microsoft`, the
    domain of ONNX Runtime's own operators. Torch: `settings`, such as training and dynamic sizes, and `memory`, which
    results share as in the uncompiled program, and into which programs write."""

    levels: tuple[str, ...] = ()
    """The values of the option `level`, from no optimization to all, the default."""

    switched: Mapping[str, Any] | None = None
    """The parts that `prepare` takes as ``without``, with the values of these settings. An empty mapping stands for all
    single parts that `knobs` names: `prepare` takes their names. None means that it takes none."""

    level_names: Mapping[str, str] = field(default_factory=dict)
    """The compiler's own names for its levels, where they differ."""

    broad: tuple[str, ...] = ()
    """Knobs that switch off a whole code generator, or all parts of a kind. They show where a fault is, but two faults
    that vanish with one are not the same."""

    conditions: Mapping[str, str] = field(default_factory=dict)
    """Knobs with which the compiler has fewer instructions or threads, and how a report says so, as in "with one thread
    (`OMP_NUM_THREADS=1`)". Bisection tries each alone, if `knobs` returns it. There are two further names, which its
    search leaves out. `variable NAME=VALUE` is an environment variable, set before the framework is imported. `threads`
    is the option `threads`, set to 1; `knobs` need not return it."""

    probe_compiles: bool = True
    """Whether the support probe compiles. False where the compiler takes everything that the framework runs uncompiled:
    the probe then calls only `eager`."""

    fast: bool = False
    """Whether a graph takes about a millisecond. Programs then run on fewer sets of inputs, and every finding is
    confirmed at once."""

    forks: bool = True
    """Whether a process that has imported the framework can be forked. Where it cannot, the file says why, and its
    workers start from scratch."""

    batches: bool = False
    """Whether compiling several programs together takes less time (`draft`)."""

    nodes: int = 10
    """The default number of operators of a generated seed graph. A larger number pays where a program costs much
    whatever its size."""

    pack: int = 1
    """How many small programs are compiled as one (see :mod:`polyjuice.packs`). A larger number pays where a
    compilation costs much whatever its size."""

    excess_precision: tuple[str, ...] = ()
    """Element types for which the compiler documents that it may skip the rounding of a cast. The file names that
    documentation. A cast to another type must round."""

    narrowed: tuple[str, ...] = ()
    """Integer types that the compiler computes in int32, as it documents. Numbers beyond int32 are not compared."""

    edge_policies: Mapping[str, str] = field(default_factory=dict)
    """Sources by ``Operator`` or ``Operator type``. For these operators the compiler chose results on NaN, infinities,
    ties or zeros that differ from ONNX or its framework. The source is the URL of the documentation, or of the issue in
    which the maintainers say so. Such results are not judged."""

    valid: str = ""
    """How a report says that a program is valid; by default a sentence for the format."""

    backends: tuple[str, ...] = ()
    """The framework's backends, from the uncompiled program to the whole compiler, for the table of `side_by_side`."""

    backends_of_halves: tuple[str, ...] = ()
    """Further ones for programs with half types."""

    side_by_side: str = ""
    """Source for reproducers that defines `side_by_side(show)`. It prints what `show` makes of the outputs by each of
    ``$backends``, under ``$heading``. ``$plain`` makes a run without the compiler, and ``$compiled`` one at ``level``.
    """

    told: str = ""
    """Source for reproducers that defines `told(outputs)`, what `side_by_side` shows of wrong elements. It reads
    `expected`, and `eager`, the uncompiled output ``$output``. ``$value`` is the output's array, and ``$part`` an index
    for its shown elements."""

    control: bool = False
    """Whether it compiles nothing, so that a campaign must find nothing."""

    uses_polyjuice: bool = False
    """Whether its worker imports Polyjuice itself."""

    default: bool = False
    """Whether examples name it for models of its format, and `polyjuice.check` uses it by default."""

    guards_suites: bool = False
    """Whether by default it must take the programs of a new suite in its format."""

    def needed(self, python: str | Path = sys.executable) -> str:
        """What to install, with a command that does so for an interpreter."""
        return plugins.installable(self.needs, python)

    @property
    def target_file(self) -> str:
        """The name of its target file."""
        return self.targets or self.name


_OF_HOST = ("name", "path")
_OF_ANY_VALUES = ("switched",)
"""The fields of `CompilerInfo` that do not come from the file."""


def names() -> list[str]:
    """The names of all compilers found, available here or not, sorted."""
    return sorted(_files())


def find(name: str) -> CompilerInfo:
    """The compiler of that name. Raises EnvironmentProblem where there is none, or its ``INFO`` is wrong."""
    files = _files()
    if name not in files:
        raise EnvironmentProblem(f"no compiler is called {name!r}; there are {', '.join(sorted(files))}")
    return read(name, files[name])


def default(format: str) -> CompilerInfo:
    """The compiler that stands for a format where the user names none."""
    return next(info for info in _own() if info.default and info.format == format)


def suite_guards(format: str) -> list[str]:
    """The names of the compilers that by default must take the programs of a new suite in a format."""
    return [info.name for info in _own() if info.guards_suites and info.format == format]


def _own() -> Iterator[CompilerInfo]:
    return (read(_name(path), path) for path in _own_files())


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
    """Describe the compiler file at `path` from its text alone.

    Raises EnvironmentProblem where its ``INFO`` is wrong.
    """
    return _read(name, path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(name: str, path: Path, changed: int) -> CompilerInfo:
    """Like `read`, once for each time at which the file ``changed``."""
    try:
        info = CompilerInfo(name=name, path=path, **_checked(_literal(path)))
        _check(info)
    except ValueError as error:
        raise EnvironmentProblem(f"{path}: INFO: {error}") from None
    return info


def _literal(path: Path) -> dict[str, Any]:
    """The value of ``INFO`` in a Python file. Raises ValueError where it is no literal dictionary."""
    for statement in ast.parse(path.read_text(encoding="utf-8"), str(path)).body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if [ast.unparse(target) for target in targets] == ["INFO"]:
            try:
                value = ast.literal_eval(statement.value)
            except ValueError:
                raise ValueError("it must be a literal: texts, numbers, lists and dictionaries") from None
            if isinstance(value, dict):
                return value
    raise ValueError("it is missing: write INFO = {...} with the format and so on (docs/howto/compiler.md)")


def _checked(found: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``INFO`` in the types of `CompilerInfo`. Raises ValueError for a wrong name or a wrong type."""
    types = {name: hint for name, hint in get_type_hints(CompilerInfo).items() if name not in _OF_HOST}
    for key in found:
        if key not in types:
            hint = did_you_mean(str(key), types) or f"; there are {', '.join(types)}"
            raise ValueError(f"it has no field {key!r}{hint}")
    required = [one.name for one in fields(CompilerInfo) if one.default is one.default_factory is MISSING]
    if missing := [name for name in required if name not in (*_OF_HOST, *found)]:
        raise ValueError(f"it lacks {' and '.join(map(repr, missing))}")
    return {key: _converted(key, value, types[key]) for key, value in found.items()}


def _converted(key: str, value: Any, hint: Any) -> Any:
    """A value of ``INFO`` in the type of its field. Raises ValueError for another type."""
    if hint in (str, bool, int):
        if type(value) is hint:
            return value
    elif get_origin(hint) is tuple:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
    elif isinstance(value, dict):
        of_texts = [*value] if key in _OF_ANY_VALUES else [*value, *value.values()]
        if all(isinstance(one, str) for one in of_texts):
            return value
    kinds = {str: "a text", bool: "True or False", int: "a number"}
    wanted = kinds.get(hint, "a list of texts" if get_origin(hint) is tuple else "a dictionary of texts")
    raise ValueError(f"{key} must be {wanted}, not {value!r}")


def _check(info: CompilerInfo) -> None:
    """Raise ValueError for values that mean nothing."""
    if info.format not in (formats := registry.names()):
        raise ValueError(f"format must be one of {', '.join(formats)}, not {info.format!r}")
    for name, number in (("nodes", info.nodes), ("pack", info.pack)):
        if number < 1:
            raise ValueError(f"{name} must be at least 1, not {number}")
    if unknown := [level for level in info.level_names if level not in info.levels]:
        raise ValueError(f"level_names has {unknown[0]!r}, which is not one of the levels")
    if unsourced := [key for key, source in info.edge_policies.items() if not source.startswith("https://")]:
        raise ValueError(f"edge_policies needs the URL of a source for {unsourced[0]!r}")
    if unset := [name for name in info.conditions if name.startswith(VARIABLE) and "=" not in name]:
        raise ValueError(f"conditions must give a value, as in 'variable NAME=VALUE', not {unset[0]!r}")


def _files() -> dict[str, Path]:
    """The files by compiler name. The files of this folder win over entry points of the same name."""
    found = {}
    for name, entry in plugins.entries(plugins.COMPILERS).items():
        path = plugins.located(entry.module)
        if path is not None:
            found[name] = path
    found.update({_name(path): path for path in _own_files()})
    return found


def _name(path: Path) -> str:
    """The name of the compiler in a file of this folder: `torch-onnx` in ``torch_onnx.py``."""
    return path.stem.replace("_", "-")


def _own_files() -> list[Path]:
    return sorted(path for path in _FOLDER.glob("*.py") if not path.name.startswith("_"))
