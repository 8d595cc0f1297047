"""The compiler under test in worker processes of its own: what the process that judges it has of it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, Limits, Outcome, Script, Worker, run_script
from polyjuice.formats.versions import OPSET
from polyjuice.given.sandbox import Sandbox

#: How long a program is timed for (the performance oracle, which does so several times).
_MEASURE_S = 0.1


@dataclass(frozen=True)
class Conditions:
    """Under which the compiler runs.

    ``python`` is the path of the interpreter that has it, ``level`` its optimization level ("" for its default);
    ``timeout_s`` bounds a compilation, and a run; ``opset`` is that of ONNX models. ``disruptive`` says that graphs
    break a constraint on purpose.
    """

    python: str = sys.executable
    device: str = "cpu"
    level: str = ""
    timeout_s: float = 60.0
    opset: int = OPSET
    disruptive: bool = False

    @property
    def reproducer_s(self) -> float:
        """How long a reproducer may take."""
        return 2 * self.timeout_s


class CompilerSession:
    """One worker for the compiler's default, and one for every other optimization level that is asked for."""

    def __init__(
        self,
        conditions: Conditions,
        compiler: CompilerInfo,
        disabled: Sequence[str] = (),
        trace: bool = False,
        objects: str = "",
    ) -> None:
        """``disabled`` names knobs that are switched off; with ``trace`` traces say all.

        ``objects`` is a folder for what a C++ compiler makes (see `CompilerFile`).
        """
        self.compiler = compiler
        self.conditions = conditions
        self._disabled, self._trace, self._objects = tuple(disabled), trace, objects
        self._workers: dict[str, Worker] = {}
        self.sandbox = Sandbox(conditions.timeout_s)
        """Where the user's own code runs."""

    def __enter__(self) -> CompilerSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()
        self.sandbox.close()

    def fresh(self, objects: str = "") -> CompilerSession:
        """Another session, whose processes have seen nothing yet.

        Sessions with one folder for ``objects`` have a C++ compiler work once for all of them where the compiler under
        test writes the very same source.
        """
        return CompilerSession(self.conditions, self.compiler, self._disabled, self._trace, objects)

    def worker(self, level: str = "") -> Worker:
        if level not in self._workers:
            asked = {
                "level": level or self.conditions.level,
                "disable": list(self._disabled),
                "trace": self._trace,
                "objects": self._objects,
            }
            options = {"device": self.conditions.device, **{name: value for name, value in asked.items() if value}}
            python = self.conditions.python
            self._workers[level] = Worker(self.compiler, python=python, limits=self._limits, options=options)
        return self._workers[level]

    @property
    def seconds(self) -> dict[str, float]:
        """The time that all workers have spent, by activity (see Worker)."""
        spent: Counter[str] = Counter()
        for worker in self._workers.values():
            spent.update(worker.seconds)
        return dict(spent)

    @property
    def versions(self) -> dict[str, str]:
        """Those of the compiler and of its Python, once a worker has started."""
        info = self.worker().info
        return {self.compiler.name: info["version"], "python": info["python"]}

    @property
    def version(self) -> str:
        """The compiler's, once a worker has started."""
        return self.versions[self.compiler.name]

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        reference = not self.conditions.disruptive  # a framework's refusal must not keep a program from the compiler
        return self.worker(level).execute(artifact, inputs, reference=reference, compile=compile)

    def execute_together(
        self, packs: Sequence[tuple[Artifact, Sequence[Sequence[np.ndarray]], int]]
    ) -> list[Outcome | None]:
        """Execute packs, each of so many programs, by a compiler that compiles several in less time together.

        See Worker.execute_together. Any other compiler is given one after another.
        """
        if self.compiler.batches:
            return self.worker().execute_together(packs, reference=not self.conditions.disruptive)
        return [self.execute(artifact, inputs) for artifact, inputs, _ in packs]

    def execute_given(self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        """Execute a program as its owner wrote it: nobody has asked whether the compiler takes its operators.

        Where the framework cannot run a program uncompiled, an error that the compiler raises at its lowest
        optimization level, too, says that it does not.
        """
        outcome = self.execute(artifact, inputs)
        if outcome.status != "error" or outcome.reference is not None or not self.compiler.levels:
            return outcome
        lowest = self.execute(artifact, inputs, level=self.compiler.levels[0])
        return replace(outcome, status="unsupported") if lowest.status in ("error", "unsupported") else outcome

    def uncompiled(self, model: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """The outputs of an ONNX model by ONNX's reference evaluator; None where that cannot run it."""
        return self.sandbox.uncompiled(model, inputs)

    def run_script(self, path: Path) -> Script:
        """Run a Python file that uses the compiler (see :func:`polyjuice.execution.run_script`)."""
        options = {"device": self.conditions.device}
        return run_script(path, self.compiler, self.conditions.python, self._limits, options)

    @property
    def _limits(self) -> Limits:
        return Limits(compile_s=self.conditions.timeout_s, run_s=self.conditions.timeout_s)

    def measure(self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        return self.worker().execute(artifact, inputs, reference=False, measure_s=_MEASURE_S)
