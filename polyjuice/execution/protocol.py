"""What goes to a worker and what comes back: artifacts, limits and outcomes, all frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypedDict

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from polyjuice.execution import _wire
from polyjuice.execution.choices import LoweringChoices

Status = Literal["ok", "unsupported", "error", "crash", "hang"]
Stage = Literal["start", "load", "eager", "compile", "run", ""]

_NUMPY = {name: np.dtype(getattr(ml_dtypes, name.replace("float8e", "float8_e"))) for name in _wire.BITS}
_NAMES = {dtype: name for name, dtype in _NUMPY.items()}


@dataclass(frozen=True)
class Limits:
    """What a worker may use. Seconds bound a stage each: `compile_s` load and compile, `run_s` eager and run.

    `memory_gib` bounds the address space beyond what the process has when it is ready (not on a GPU, whose
    drivers reserve far more than they use); a worker whose resident set has passed `recycle_rss_gib` is
    replaced.
    """

    compile_s: float = 60.0
    run_s: float = 20.0
    start_s: float = 120.0
    memory_gib: float = 8.0
    recycle_rss_gib: float = 2.0


@dataclass(frozen=True)
class Artifact:
    """A lowered graph: Python source (torch, tensorflow) or a serialized model (onnx), and constants.

    ``arguments`` names the arrays that the program takes as further inputs, behind its own. Of its outputs the first
    ``results`` count (None: all of them). ``setup`` is what the compiler file is told beside the program, and
    ``idioms`` says in words how the graph was spelled, and ``forms`` in which forms its operators are written: pairs of
    an operator and a form, one for each use. ``choices`` are those of the lowering; None for what others wrote.
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
    def numbers(self) -> int:
        """How many of the ``arguments``, the last ones, the program takes as Python numbers."""
        return int(self.setup.get("numbers", 0))


@dataclass(frozen=True)
class Memory:
    """What a run of a program did to memory.

    ``written`` numbers the inputs in whose memory a byte has changed. ``shared`` has a triple for each output, other
    than what an input holds in the end, and what it shares memory with: its number, INPUT, OUTPUT, HELD (by the model)
    or ELSEWHERE (an output of another program of its pack), and the number or the name of that. ``same`` pairs outputs
    with inputs that have the same elements in the same places. ``differentiable`` numbers the outputs that require
    gradients, and into which one may write.
    """

    INPUT: ClassVar = "input"
    OUTPUT: ClassVar = "output"
    HELD: ClassVar = "held"
    ELSEWHERE: ClassVar = "elsewhere"

    written: frozenset[int] = frozenset()
    shared: frozenset[Shared] = frozenset()
    same: frozenset[tuple[int, int]] = frozenset()
    differentiable: frozenset[int] = frozenset()

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Memory:
        """As a worker says it."""
        shared, same = (frozenset(map(tuple, said[name])) for name in ("shared", "same"))
        return cls(frozenset(said["written"]), shared, same, frozenset(said["differentiable"]))

    def part(self, inputs: range, outputs: range, prefix: str = "") -> Memory:
        """What concerns some of the inputs and outputs, which are numbered anew, as those of a program by itself.

        ``prefix`` is what the names of that program's values begin with, and no more then.
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
            frozenset(inputs.index(n) for n in self.written if n in inputs),
            frozenset(own(shared) for shared in {*self.shared, *elsewhere} if shared[0] in outputs),
            frozenset((outputs.index(k), inputs.index(n)) for k, n in self.same if k in outputs and n in inputs),
            frozenset(outputs.index(k) for k in self.differentiable if k in outputs),
        )


Shared = tuple[int, str, int | str]
"""An output, and what it shares memory with: see :class:`Memory`."""


@dataclass(frozen=True)
class Outcome:
    """What became of one artifact.

    `status` is ok; unsupported (the framework itself cannot load or run the artifact, or the compiler says
    that it does not implement it); error (the compiler raised an exception); crash (the process died or ran
    out of memory); or hang (over its limit). Where it is not ok, `stage` says where, and `message` begins
    with the exception's type. `outputs` holds, for each set of inputs, its outputs, and `reference` likewise
    those of the framework's own uncompiled run, where that was asked for and exists. `memory` says, for each set, what
    the run did to memory, and `reference_memory` likewise, where the compiler file knows. `times` (seconds each) and
    `peak` (bytes beyond what the process had) are those of many runs on the first set of inputs, where that was asked
    for.
    """

    status: Status
    stage: Stage = ""
    outputs: tuple[tuple[NDArray[Any], ...], ...] = ()
    reference: tuple[tuple[NDArray[Any], ...], ...] | None = None
    memory: tuple[Memory, ...] = ()
    reference_memory: tuple[Memory, ...] = ()
    message: str = ""
    traceback: str = ""
    load_s: float = 0.0
    compile_s: float = 0.0
    run_s: float = 0.0  # run and eager together
    trace: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    peak: int = 0


class Probe(TypedDict):
    """Whether a compiler can be used here; where it cannot, `reason` is one line that says what to do."""

    available: bool
    version: str
    reason: str


def to_wire(array: NDArray[Any]) -> _wire.Array:
    """An array of the host as a frame carries it."""
    dtype = _NAMES.get(array.dtype, array.dtype.name)
    return dtype, array.view(_wire.BITS[dtype]) if dtype in _wire.BITS else array


def from_wire(array: _wire.Array) -> NDArray[Any]:
    """The inverse of `to_wire`."""
    dtype, values = array
    return values.view(_NUMPY[dtype]) if dtype in _NUMPY else values
