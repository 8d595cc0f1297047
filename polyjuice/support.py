"""Which operators a compiler takes, in which element types and ranks: found out by trying, and remembered.

A compiler lacks kernels, and no list of them is kept by hand. The first time that a graph is about to hold an operator
of some element types and rank, single applications of it are given to the compiler; what becomes of them is kept in the
user's cache, by compiler and version. The answer depends on the compiler alone, not on what was asked before, so that
campaigns stay reproducible.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Worker
from polyjuice.execution.process import cache_folder
from polyjuice.generate.instances import Signature, instance, some_signature
from polyjuice.ir import TensorType, dtypes
from polyjuice.lower import DEFAULT_OPSET, Unlowerable, lower
from polyjuice.ops import TABLE, Op

#: Applications that are tried: an operator is taken if the compiler takes one of them.
_TRIES = 3


class Support:
    """What one compiler takes. Probes run in ``worker``, which the caller starts and closes."""

    def __init__(self, compiler: CompilerInfo, worker: Worker, opset: int = DEFAULT_OPSET) -> None:
        self._compiler = compiler
        self._worker = worker
        self._opset = opset
        self._known: dict[str, str] | None = None
        self._taken: dict[object, bool] = {}
        self.refusal = ""
        """Why the compiler did not take what it was last asked for and did not take."""

    def takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the compiler takes the operator on such operands. Raises EnvironmentProblem where it cannot run."""
        key = (op.qualified, operands[0].rank if operands else -1, results[0].dtype, *[t.dtype for t in operands])
        if key not in self._taken:
            reason = self.reason(Signature.of(op, operands, results))
            self.refusal = reason or self.refusal
            self._taken[key] = not reason
        return self._taken[key]

    def reason(self, signature: Signature) -> str:
        """Why the compiler does not take an operator, or "" where it does."""
        if self._known is None:
            self._worker.start()
            self._path = cache_file(self._compiler, self._worker.info["version"], self._opset)
            self._known = read(self._path)
        key = str(signature)
        if key not in self._known:
            self._known[key] = self._probe(signature)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, self._known[key]]) + "\n")
        return self._known[key]

    def probe_all(self) -> None:
        """Try every operator in every element type of its first operand, at one rank that it takes."""
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
                artifact = lower(graph, self._compiler.format, attempt, opset=self._opset, lacks=self._compiler.lacks)
            except Unlowerable as error:
                reason = str(error)
                continue
            inputs = [np.ones(t.shape, dtypes.to_numpy(t.dtype)) for t in graph.input_types]
            outcome = self._worker.execute(artifact, [inputs], compile=self._compiler.probe_compiles)
            if outcome.status != "unsupported":
                return ""
            reason = outcome.message.splitlines()[0] if outcome.message else outcome.status
        return reason


def cache_file(compiler: CompilerInfo, version: str, opset: int = DEFAULT_OPSET) -> Path:
    """Where the answers for a version of a compiler are kept; other spellings of the operators have another file."""
    here = Path(__file__).parent
    asked = hashlib.sha256(compiler.path.read_bytes())
    for source in sorted((*here.glob("ops/*.py"), *here.glob("lower/*.py"))):
        asked.update(source.read_bytes())
    return cache_folder() / "support" / f"{compiler.name}-{version}-opset{opset}-{asked.hexdigest()[:12]}.jsonl"


def read(path: Path) -> dict[str, str]:
    """The answers in a cache file: signature to reason ("" where it is taken). A line cut short does not count."""
    known: dict[str, str] = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                key, reason = json.loads(line)
            except ValueError:
                continue
            known[key] = reason
    return known
