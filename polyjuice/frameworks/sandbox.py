"""Run users' code in a separate process: a crash, an endless loop or a full memory ends only that process."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, Limits, Outcome, Status, Worker
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import read_limits
from polyjuice.frameworks.onnx.user_program import uncompiled

P = ParamSpec("P")
T = TypeVar("T")

_WORKER = CompilerInfo(
    name="the process for the user's code",
    path=Path(__file__).with_name("sandbox_worker.py"),
    format="pickle",
    needs="what Polyjuice itself needs",
    repro_imports="",
    repro="",
)
"""A compiler file for the host, so that the process has the limits of a compiler's worker, and ends like one."""


class Ended(FormatError):
    """The process that ran the user's code crashed, ran out of memory, or was killed. The message says which."""


class Sandbox:
    """A context manager that calls functions in a separate process, one at a time.

    A fork server starts the process at the first call, and again after it has ended. The state of the user's modules
    stays between calls. The process has the limits of a compiler's worker, and ends with this process.
    """

    def __init__(self, timeout_s: float = Limits.compile_s) -> None:
        """``timeout_s`` limits each call, in seconds."""
        self._worker = Worker(_WORKER, limits=Limits(compile_s=timeout_s, run_s=timeout_s))
        self._failed: set[bytes] = set()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; a further call starts another."""
        self._worker.close()

    def call(self, what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a function of a module. The function, its arguments and its result are pickled.

        ``what`` names the user's code in messages. Raises the FormatError or NotSplit of the function, and Ended.
        """
        assert not kwargs
        request = pickle.dumps((os.getcwd(), sys.path, pickle.dumps((function, args, read_limits()))))
        outcome = self._worker.execute(Artifact(format="pickle", source=request), [()], reference=False)
        if outcome.status in (Status.crash, Status.hang):
            raise Ended(f"{what} was run in a process of its own, which {self._end(outcome)}")
        if outcome.status != "ok":
            raise RuntimeError(f"{what}: {outcome.message}\n{outcome.traceback}")
        returned, result = pickle.loads(outcome.outputs[0][0].tobytes())
        if not returned:
            raise result
        value: T = result
        return value

    def uncompiled(self, source: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """Return the outputs of an ONNX model by ONNX's reference evaluator; None if the evaluator cannot run it.

        A model on which the evaluator crashed or hung is not tried again.
        """
        if source in self._failed:
            return None
        try:
            return self.call("ONNX's reference evaluator", uncompiled, source, inputs)
        except Ended:
            self._failed.add(source)
            return None

    def _end(self, outcome: Outcome) -> str:
        if outcome.status == Status.hang:
            return f"did not end within {self._worker.limits.run_s:g} s"
        if outcome.message.startswith("MemoryError"):
            return "ran out of memory"
        return outcome.message.partition(" during ")[0].removeprefix("the process ")
