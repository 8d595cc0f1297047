"""Probe which operators a compiler takes, in which element types and ranks, and cache the answers.

Compilers lack kernels, and no list of the gaps is kept by hand. Before a graph first uses an operator with some element
types and rank, small programs with this operator alone run on the compiler. The answer goes into the user's cache, by
compiler and version. It depends on the compiler alone, not on earlier probes, so that campaigns stay reproducible.

The cache has two files. One has the answers. It is valid as long as the code that chooses the programs stays the same.
The other has, for each program that ran, whether the compiler took it. It is valid as long as the compiler file and the
worker stay the same. After any other change the programs are made again, and only new ones run. The package ships
answers for many programs, which need not run at all (see :mod:`polyjuice.probes`).
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from polyjuice import cache, pipeline, probes
from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, LoweringChoices, Worker, broken
from polyjuice.frameworks import registry
from polyjuice.frameworks.forms import ALL, Form, text
from polyjuice.frameworks.lowering import DEFAULT_OPSET, OPSETS, Unlowerable, following, opset_of
from polyjuice.generate.instances import Signature, instance, some_signature
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import TABLE, GraphBuilder, Op, primitives

#: The most programs tried for one operator: the compiler takes the operator if it takes one of them.
_TRIES = 3

#: The most graphs made in the search for one that can have a form.
_FORM_TRIES = 100

_ANSWER = (
    "compilers/_[!_]*.py",
    "execution/worker.py",
    "frameworks/**/*.py",
    "generate/instances.py",
    "ops/*.py",
    "support.py",
)
"""The files on which the answers depend, beside the compiler file."""

_RUN = ("compilers/_[!_]*.py", "execution/*.py")
"""The files on which the run of a program depends, beside the compiler file."""

_RUN_BY_US = ("**/*.py",)
"""The same for a compiler file that needs Polyjuice itself in the worker."""

_CONSTANTS = (
    np.arange(5),
    np.array([2, 3]),
    np.array(3),
    np.eye(3, dtype=np.float32),
    np.full((2, 3), 2, np.float32),
    np.array(1.5, np.float32),
    np.array([1.5, 2.5], np.float32),
)
"""Constants whose forms are probed."""

_RARE_CONSTANTS = (np.array(1.5, np.float64),)
"""Constants to try after the others, if none of those has the form."""

_RARE_TRIES = 4
"""The number of graphs with such a constant."""

_FORM = "form"
"""The first word of a key that is about a form."""

Asked = TypeVar("Asked")


class Support:
    """The operators and forms that one compiler takes. Probes run in ``worker``, which the caller closes."""

    def __init__(self, compiler: CompilerInfo, worker: Worker, opset: int = DEFAULT_OPSET) -> None:
        self.compiler = compiler
        self._worker = worker
        self._opset = opset or DEFAULT_OPSET
        self._answers: _Kept | None = None
        self._programs: _Kept | None = None
        self._shipped: dict[str, str] = {}
        self._taken: dict[object, bool] = {}
        self.refusal = ""
        """The reason of the last refusal."""
        self._asking_since: float | None = None
        self.seconds = 0.0
        """The seconds spent on probing. They do not count in the worker's seconds."""

    def takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the compiler takes the operator on such operands. Raises EnvironmentProblem if it cannot run."""
        if not registry.find(self.compiler.format).dynamic_types and any(
            dtypes.is_complex(t.dtype) for t in (*operands, *results)
        ):
            self.refusal = "complex numbers are tested in Torch alone"
            return False
        key = (op.qualified, operands[0].rank if operands else -1, results[0].dtype, *[t.dtype for t in operands])
        if key not in self._taken:
            reason = self.reason(Signature.of(op, operands, results))
            self.refusal = reason or self.refusal
            self._taken[key] = not reason
        return self._taken[key]

    def reason(self, signature: Signature) -> str:
        """Return why the compiler does not take an operator; "" if it does."""
        return self._answer(str(signature), self._probe, signature)

    def _answer(self, key: str, probe: Callable[[Asked], str], asked: Asked) -> str:
        """Return the cached answer under a key; on a miss, probe and cache it."""
        if self._answers is None or self._programs is None:
            self._worker.start()
            version = self._worker.info["version"]
            self._answers = _Kept(cache_file(self.compiler, version, self._opset))
            self._programs = _Kept(programs_file(self.compiler, version))
            self._shipped = probes.shipped(self.compiler, version)
        return self._answers.get(key, lambda: self._found_out(probe, asked))

    def _found_out(self, probe: Callable[[Asked], str], asked: Asked) -> str:
        began, before = time.perf_counter(), dict(self._worker.seconds)
        self._asking_since = began
        try:
            return probe(asked)
        finally:
            self._asking_since = None
            self._worker.seconds = before
            self.seconds += time.perf_counter() - began

    @property
    def seconds_by_now(self) -> float:
        """The seconds spent on probing, with those of a probe that still runs."""
        since = self._asking_since
        return self.seconds + (0.0 if since is None else time.perf_counter() - since)

    def lacked(self, forms: Sequence[Form]) -> list[str]:
        """Return the names of the ONNX forms that the compiler's importer does not take."""
        if not registry.find(self.compiler.format).binary:
            return []
        return [
            text(form) for form in dict.fromkeys(forms) if self._answer(f"{_FORM} {text(form)}", self._probe_form, form)
        ]

    def probe_all(self) -> None:
        """Probe every operator in every element type of its first operand, at one rank that it takes."""
        for op in TABLE.values():
            for dtype in op.types[op.variable(0)] if op.inputs else ():
                signature = some_signature(op, dtype)
                if signature:
                    self.reason(signature)

    def _probe(self, signature: Signature) -> str:
        reason = ""
        for attempt in range(_TRIES):
            graph = instance(signature, random.Random(f"{signature} {attempt}"))
            if graph is None:
                return reason
            try:
                reason = self._refused(graph, self._lowered(graph, str(attempt)))
                if reason and len(graph.inputs) > 1:
                    fixed = _with_constants(graph)
                    reason = reason if self._refused(fixed, self._lowered(fixed, LoweringChoices())) else ""
            except Unlowerable as error:
                reason = str(error)
            if not reason:
                return ""
        return reason

    def _probe_form(self, form: Form) -> str:
        """Return why the compiler does not take a form of an operator that it takes; "" if no example shows that."""
        tried = 0
        for graph, opset in _examples(form):
            try:
                artifact = self._lowered(graph, following([form], opset))
            except Unlowerable:
                continue
            if form not in artifact.forms:
                continue
            refused = self._refused(graph, artifact)
            if not refused:
                return ""
            if not self._refused(graph, self._lowered(graph, LoweringChoices())):
                return refused
            tried += 1
            if tried == _TRIES:
                return ""
        return ""

    def _lowered(self, graph: Graph, by: LoweringChoices | str) -> Artifact:
        """Lower a graph by recorded choices, or by a key that draws choices without forms. Raises Unlowerable."""
        lacks = (*self.compiler.lacks, ALL)
        return pipeline.lower(graph, by, pipeline.Target(format=self.compiler.format, opset=self._opset, lacks=lacks))

    def _refused(self, graph: Graph, artifact: Artifact) -> str:
        """Return why the compiler does not take a program; "" if it does, or if it fails. Raises BrokenProgram."""
        assert self._programs is not None
        digest = _digest(graph, artifact)
        known = self._shipped.get(digest[: probes.DIGITS])
        return self._programs.get(digest, lambda: self._run(graph, artifact) if known is None else known)

    def _run(self, graph: Graph, artifact: Artifact) -> str:
        inputs = [np.ones(t.shape, dtypes.to_numpy(t.dtype)) for t in graph.input_types]
        outcome = self._worker.execute(artifact, [inputs], compile=self.compiler.probe_compiles)
        broken.check(artifact, outcome, self._worker.info["version"])
        if outcome.status != "unsupported":
            return ""
        return outcome.message.splitlines()[0] if outcome.message else outcome.status


class _Kept:
    """Texts by key, stored in a file of the cache if the cache is writable."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = read(path)

    def get(self, key: str, find_out: Callable[[], str]) -> str:
        """Return the text under a key; if there is none, find it out and store it."""
        if key not in self._known:
            self._known[key] = find_out()
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, self._known[key]]) + "\n")
        return self._known[key]


def _with_constants(graph: Graph) -> Graph:
    """Make all inputs but the first constant ones: some importers need constant operands for some operators."""
    first, *others = graph.inputs
    ones = {name: np.ones(graph.types[name].shape, dtypes.to_numpy(graph.types[name].dtype)) for name in others}
    return replace(graph, inputs=(first,), constants={**graph.constants, **ones})


def _digest(graph: Graph, artifact: Artifact) -> str:
    """Return a hash of everything that a worker needs to run a program on ones."""
    arrays = [(name, array.dtype.name, array.shape, array.tobytes()) for name, array in artifact.arrays.items()]
    types = [str(t) for t in graph.input_types]
    parts = (artifact.format, artifact.source, arrays, artifact.arguments, artifact.results, artifact.setup, types)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def _examples(form: Form) -> Iterator[tuple[Graph, int]]:
    """Yield small graphs that may have a form, each with an opset to lower it at."""
    op = TABLE.get(("", form[0]))
    opset = opset_of(form)
    for attempt in range(_FORM_TRIES if op else _FORM_TRIES + _RARE_TRIES):
        rng = random.Random(f"{form} {attempt}")
        constants = _CONSTANTS if attempt < _FORM_TRIES else _RARE_CONSTANTS
        signature = some_signature(op, rng.choice(op.types[op.variable(0)])) if op else None
        graph = instance(signature, rng) if signature else None if op else _beside_a_constant(rng, constants)
        if graph:
            yield graph, opset or (DEFAULT_OPSET, OPSETS[0])[attempt % 2]


def _beside_a_constant(rng: random.Random, constants: Sequence[np.ndarray]) -> Graph:
    """Return a sum of an input and one of the constants, which a model can hold in many forms."""
    array = rng.choice(constants)
    build = GraphBuilder()
    x = build.input(TensorType(dtypes.dtype_of(array), array.shape))
    return build.build([build.op(primitives.ADD, x, build.constant(array))])


def cache_file(compiler: CompilerInfo, version: str, opset: int = DEFAULT_OPSET) -> Path:
    """Return the cache file of answers for a compiler version. Its name has a hash of the code that they depend on."""
    return cache.folder() / "support" / f"{compiler.name}-{version}-opset{opset}-{_state(compiler, _ANSWER)}.jsonl"


def refused(compiler: CompilerInfo, version: str, opset: int = DEFAULT_OPSET) -> set[tuple[str, str]]:
    """Return the pairs (qualified operator, element type of its first operand) that a compiler refused in every probe.

    Pairs that were never probed are not among them.
    """
    taken: dict[tuple[str, str], bool] = {}
    for key, reason in read(cache_file(compiler, version, opset or DEFAULT_OPSET)).items():
        operator, dtype, *_ = key.split()
        if operator != _FORM:
            taken[operator, dtype] = taken.get((operator, dtype), False) or not reason
    return {pair for pair, one in taken.items() if not one}


def programs_file(compiler: CompilerInfo, version: str) -> Path:
    """Return the cache file that records which programs a compiler version takes, for all questions together."""
    state = _state(compiler, _RUN_BY_US if compiler.uses_polyjuice else _RUN)
    return cache.folder() / "support" / f"{compiler.name}-{version}-programs-{state}.jsonl"


def _state(compiler: CompilerInfo, patterns: Sequence[str]) -> str:
    """Return a hash of the compiler file and of the package's files that match the patterns."""
    return cache.digest([compiler.path, *(path for pattern in patterns for path in cache.PACKAGE.glob(pattern))])


def read(path: Path) -> dict[str, str]:
    """Read a cache file: key to reason ("" if the compiler takes it).

    Truncated lines are skipped; an unreadable file counts as empty.
    """
    known: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return known
    for line in lines:
        with suppress(ValueError):
            key, reason = json.loads(line)
            known[key] = reason
    return known
