"""Code that others wrote, run in a process of its own: a crash, an endless loop or a full memory ends only that."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, Limits, Outcome, Worker
from polyjuice.formats import FormatError
from polyjuice.given.onnx_program import uncompiled

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
"""The worker is a compiler's to the host: so it has the same limits, and ends in the same way."""


class Ended(FormatError):
    """The process that ran the user's code crashed, ran out of memory, or had to be ended: the message says which."""


class Sandbox:
    """Calls functions in a process of its own, one at a time; a context manager.

    The process starts with the first call, from a fork server, and anew after it has ended. It keeps what the user's
    modules hold from call to call. It has the limits of a compiler's worker, and ends with this process.
    """

    def __init__(self, timeout_s: float = Limits.compile_s) -> None:
        """``timeout_s`` bounds each call."""
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
        """What a function of a module returns; it, its arguments and its result are pickled.

        ``what`` names the user's code in messages. Raises the FormatError or NotTakenApart that the function raises,
        and Ended.
        """
        assert not kwargs
        request = pickle.dumps((os.getcwd(), sys.path, pickle.dumps((function, args))))
        outcome = self._worker.execute(Artifact("pickle", request), [()], reference=False)
        if outcome.status in ("crash", "hang"):
            raise Ended(f"{what} was run in a process of its own, which {self._end(outcome)}")
        if outcome.status != "ok":
            raise RuntimeError(f"{what}: {outcome.message}\n{outcome.traceback}")
        returned, result = pickle.loads(outcome.outputs[0][0].tobytes())
        if not returned:
            raise result
        value: T = result
        return value

    def uncompiled(self, source: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """The outputs of an ONNX model by ONNX's reference evaluator; None where that cannot run it.

        A model that crashed the evaluator, or over which it did not come to an end, is not tried again.
        """
        if source in self._failed:
            return None
        try:
            return self.call("ONNX's reference evaluator", uncompiled, source, inputs)
        except Ended:
            self._failed.add(source)
            return None

    def _end(self, outcome: Outcome) -> str:
        if outcome.status == "hang":
            return f"did not end within {self._worker.limits.run_s:g} s"
        if outcome.message.startswith("MemoryError"):
            return "ran out of memory"
        return outcome.message.partition(" during ")[0].removeprefix("the process ")
