"""The data exchanged with a worker: artifacts, limits and outcomes, all frozen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any, ClassVar, Literal, TypedDict

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from polyjuice.execution import _wire
from polyjuice.execution.choices import LoweringChoices

Stage = Literal["start", "load", "eager", "compile", "run", ""]

_NUMPY = {name: np.dtype(getattr(ml_dtypes, name.replace("float8e", "float8_e"))) for name in _wire.BITS}
_NAMES = {dtype: name for name, dtype in _NUMPY.items()}


class Status(StrEnum):
    """How running a program ended (see :class:`Outcome`)."""

    ok = auto()
    unsupported = auto()
    error = auto()
    crash = auto()
    hang = auto()


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The time and memory that a worker may use.

    Each limit in seconds bounds single stages: `compile_s` load and compile, `run_s` eager and run. `memory_gib` bounds
    the growth of the address space after the start; not on a GPU, whose drivers reserve far more than they use. It also
    bounds the resident memory of the worker with its children. `folder_gib` bounds its temporary folder. A worker
    whose resident set exceeds `recycle_rss_gib`, or its folder `recycle_folder_gib`, is replaced.
    """

    compile_s: float = 60.0
    run_s: float = 20.0
    start_s: float = 120.0
    memory_gib: float = 8.0
    recycle_rss_gib: float = 2.0
    folder_gib: float = 4.0
    recycle_folder_gib: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A lowered graph: Python source (torch, tensorflow) or a serialized model (onnx), and constants.

    ``arguments`` names the arrays that the program takes as further inputs, after its own. Only the first ``results``
    outputs are returned (None: all). ``setup`` holds settings for the compiler file. ``idioms`` describes the lowering
    choices in words. ``forms`` has a pair (operator, form in which it is written) for each use of an operator.
    ``choices`` are the lowering choices; None for a program that Polyjuice did not write.
    """

    format: str
    source: str | bytes
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    results: int | None = None
    setup: Mapping[str, Any] = field(default_factory=dict)
    idioms: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    choices: LoweringChoices | None = None

    @property
    def parameters(self) -> list[str]:
        """The names of the parameters of a program in Python, in the order of its inputs and arguments."""
        found = re.findall(r"def (?:forward|__call__)\(self, ([^)]*)\)", str(self.source))
        return found[-1].split(", ") if found else []

    @property
    def numbers(self) -> int:
        """The number of ``arguments``, counted from the last, that the program takes as Python numbers."""
        return int(self.setup.get("numbers", 0))


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The writes and aliases that one run of a program left in memory.

    ``written`` has the numbers of the inputs whose bytes have changed. ``shared`` has a triple for each alias of an
    output: the output's number, the kind of its partner, and the partner's number or name. The kind is INPUT, OUTPUT,
    HELD (by the model) or ELSEWHERE (an output of another program of its pack). An output that is the final content of
    an input counts as no alias. ``same`` pairs outputs with inputs that have the same elements in the same places.
    ``differentiable`` has the numbers of the outputs that require gradients and may be written into. ``strides`` has
    the strides of each returned tensor, in elements, by the output's number.
    """

    INPUT: ClassVar = "input"
    OUTPUT: ClassVar = "output"
    HELD: ClassVar = "held"
    ELSEWHERE: ClassVar = "elsewhere"

    written: frozenset[int] = frozenset()
    shared: frozenset[Shared] = frozenset()
    same: frozenset[tuple[int, int]] = frozenset()
    differentiable: frozenset[int] = frozenset()
    strides: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Memory:
        """Read the record from a worker's report."""
        shared, same = (frozenset(map(tuple, data[name])) for name in ("shared", "same"))
        return cls(
            written=frozenset(data["written"]),
            shared=shared,
            same=same,
            differentiable=frozenset(data["differentiable"]),
            strides={number: tuple(strides) for number, strides in data.get("strides", ())},
        )

    def part(self, inputs: range, outputs: range, prefix: str = "") -> Memory:
        """Return the record of one program of a pack: the given inputs and outputs, numbered from 0.

        ``prefix`` begins the names of that program's values in the pack; it is removed.
        """

        def own(shared: Shared) -> Shared:
            k, kind, other = shared
            numbers = {Memory.INPUT: inputs, Memory.OUTPUT: outputs}.get(kind)
            if isinstance(other, str):
                return outputs.index(k), kind, other.replace(f"_{prefix}", "_", 1) if prefix else other
            if numbers is None:
                return outputs.index(k), kind, other
            return outputs.index(k), *((kind, numbers.index(other)) if other in numbers else (Memory.ELSEWHERE, 0))

        both_ways = [(k, m) for k, kind, m in self.shared if kind == Memory.OUTPUT and isinstance(m, int)]
        elsewhere = {(m, Memory.OUTPUT, k) for k, m in both_ways if k not in outputs}
        return Memory(
            written=frozenset(inputs.index(n) for n in self.written if n in inputs),
            shared=frozenset(own(shared) for shared in {*self.shared, *elsewhere} if shared[0] in outputs),
            same=frozenset((outputs.index(k), inputs.index(n)) for k, n in self.same if k in outputs and n in inputs),
            differentiable=frozenset(outputs.index(k) for k in self.differentiable if k in outputs),
            strides={outputs.index(k): strides for k, strides in self.strides.items() if k in outputs},
        )


Shared = tuple[int, str, int | str]
"""An output's number, and the kind and number or name of what it shares memory with: see :class:`Memory`."""


Gradients = Mapping[int, NDArray[Any]]
"""The gradients by inputs, by the input's number."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of executing one artifact.

    `status` is ok; unsupported (the framework cannot load or run the artifact, or the compiler reports that it does not
    implement it); error (the compiler raised an exception); crash (the process died or ran out of memory); or hang (a
    stage exceeded its time limit). Unless it is ok, `stage` is the failed stage, and an error's `message` begins with
    the exception's type. `failed` is the number of the set of inputs on which a run failed. `outputs` holds the outputs
    for each set of inputs. `reference` holds those of the framework's own uncompiled run, or None without such a run.
    `memory` and `reference_memory` record what these runs did to memory, for each set, if the compiler file can tell.
    `gradients` and `reference_gradients` hold gradients for each set, if the setup asks for them: those of a weighted
    sum of the outputs by the floating inputs. `times` (seconds each) and `peak` (bytes above the start) are measured
    over many runs on the first set of inputs, on request. `disturbed` names what the compiler has changed in its
    process, which is replaced for that reason.
    """

    status: Status
    stage: Stage = ""
    outputs: tuple[tuple[NDArray[Any], ...], ...] = ()
    reference: tuple[tuple[NDArray[Any], ...], ...] | None = None
    memory: tuple[Memory, ...] = ()
    reference_memory: tuple[Memory, ...] = ()
    gradients: tuple[Gradients, ...] = ()
    reference_gradients: tuple[Gradients, ...] = ()
    message: str = ""
    traceback: str = ""
    failed: int = 0
    compile_s: float = 0.0
    run_s: float = 0.0  # run and eager together
    trace: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    peak: int = 0
    disturbed: tuple[str, ...] = ()


class Probe(TypedDict):
    """Whether a compiler can be used here. If not, `reason` says in one line what to do."""

    available: bool
    version: str
    reason: str


def to_wire(array: NDArray[Any]) -> _wire.Array:
    """Return an array of the host in the form that a frame carries."""
    dtype = _NAMES.get(array.dtype, array.dtype.name)
    return dtype, array.view(_wire.BITS[dtype]) if dtype in _wire.BITS else array


def from_wire(array: _wire.Array) -> NDArray[Any]:
    """The inverse of `to_wire`."""
    dtype, values = array
    return values.view(_NUMPY[dtype]) if dtype in _NUMPY else values
