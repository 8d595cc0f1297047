"""The compiler session: the host's access to the compiler under test, which runs in worker processes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice.compilers import SETTING, THREADS, VARIABLE, CompilerInfo, is_family
from polyjuice.execution import Artifact, Draft, Instead, Limits, Outcome, Script, Status, Worker, changes, run_script
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.frameworks.sandbox import Sandbox

#: The seconds for which a program is timed, once; an oracle may ask for that several times.
_MEASURE_S = 0.1

_NO_PARTS = (VARIABLE, SETTING)
"""Prefixes of knobs that are no parts of a compiler."""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions under which the compiler runs.

    ``python`` is the path of the interpreter that has the compiler, ``level`` the optimization level ("" for the
    compiler's default). ``timeout_s`` limits each compilation and each run. ``opset`` is that of ONNX models.
    ``disruptive`` means that graphs break a constraint on purpose.
    """

    python: str = sys.executable
    device: str = "cpu"
    level: str = ""
    timeout_s: float = 60.0
    opset: int = OPSET
    disruptive: bool = False

    @property
    def reproducer_s(self) -> float:
        """The seconds that a reproducer may take."""
        return 2 * self.timeout_s


class CompilerSession:
    """A worker for the default optimization level, and one for each other level that is used."""

    def __init__(
        self,
        conditions: Conditions,
        compiler: CompilerInfo,
        disabled: Sequence[str] = (),
        trace: bool | str = False,
    ) -> None:
        """Start no worker yet. ``disabled`` names knobs to switch off; ``trace`` is the worker's option."""
        self.compiler = compiler
        self.conditions = conditions
        self._disabled, self._trace = tuple(disabled), trace
        self._workers: dict[str, Worker] = {}
        self.sandbox = Sandbox(conditions.timeout_s)
        """The process that runs the user's own code."""

    def __enter__(self) -> CompilerSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes of the session."""
        for worker in self._workers.values():
            worker.close()
        self.sandbox.close()

    def kill(self) -> None:
        """Kill the processes that run now, from any thread: what they do becomes a crash for the thread that waits."""
        for worker in [*self._workers.values()]:
            worker.kill()

    def fresh(self) -> CompilerSession:
        """Return another session like this one, with new processes."""
        return CompilerSession(self.conditions, self.compiler, self._disabled, self._trace)

    def worker(self, level: str = "") -> Worker:
        """Return the worker for an optimization level; "" means that of the conditions.

        ``level`` may be another change (see `polyjuice.execution.changes`). The worker of such a change lasts until the
        next one.
        """
        if level not in self._workers:
            if not changes.is_level(level):
                for other in [name for name in self._workers if not changes.is_level(name)]:
                    self._workers.pop(other).close()
            self._workers[level] = self._started(changes.options(level))
        return self._workers[level]

    def _started(self, change: dict[str, Any]) -> Worker:
        disabled = [*self._disabled, *change.get("disable", ())]
        variables = [name.removeprefix(VARIABLE) for name in disabled if name.startswith(VARIABLE)]
        asked = {
            "device": self.conditions.device,
            "level": self.conditions.level,
            "threads": int(THREADS in disabled),
            "trace": self._trace,
            "variables": dict(text.split("=", 1) for text in variables),
            **change,
            "disable": [name for name in disabled if name != THREADS and not name.startswith(VARIABLE)],
        }
        options = {name: value for name, value in asked.items() if value}
        return Worker(self.compiler, python=self.conditions.python, limits=self._limits, options=options)

    @property
    def parts(self) -> list[str]:
        """The parts of the compiler that can be switched off one by one (see `CompilerInfo.switched`)."""
        compiler, knobs = self.compiler, self._started_worker.info["knobs"]
        single = [name for name in knobs if not is_family(name) and not name.startswith(_NO_PARTS)]
        return [name for name in single if name in (compiler.switched or single) and name not in compiler.conditions]

    @property
    def anytime(self) -> list[str]:
        """The passes that may run first, in any order (`anytime` of the compiler's file)."""
        return list(self._started_worker.info["anytime"])

    @property
    def _started_worker(self) -> Worker:
        self.worker().start()
        return self.worker()

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds that all workers have spent, by activity (see Worker)."""
        spent: Counter[str] = Counter()
        for worker in self._workers.values():
            spent.update(worker.seconds)
        return dict(spent)

    @property
    def versions(self) -> dict[str, str]:
        """The versions of the compiler and of its Python, after a worker has started."""
        info = self.worker().info
        return {self.compiler.name: info["version"], "python": info["python"]}

    @property
    def version(self) -> str:
        """The compiler's version, after a worker has started."""
        return self.versions[self.compiler.name]

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        """Execute an artifact on each set of inputs (see Worker.execute), at a level or with another change."""
        # If the framework refuses a program, the compiler never gets it.
        reference = not self.conditions.disruptive or not compile
        return self.worker(level).execute(artifact, inputs, reference=reference, compile=compile)

    def execute_together(
        self, drafts: Sequence[Draft], instead: Instead = lambda number, outcome: ()
    ) -> list[Outcome | None]:
        """Execute several artifacts: together if the compiler builds them in less time so, else one after another.

        Only if they run together, `instead` may add some (see Worker.execute_together).
        """
        if self.compiler.batches:
            return self.worker().execute_together(drafts, instead, reference=not self.conditions.disruptive)
        return [self.execute(artifact, inputs) for artifact, inputs, _ in drafts]

    def execute_user_program(self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        """Execute the user's original program, whose operators have not been probed.

        An error of the compiler counts as unsupported if the framework could not run the program uncompiled, and the
        compiler's lowest optimization level fails too.
        """
        outcome = self.execute(artifact, inputs)
        if outcome.status != "error" or outcome.reference is not None or not self.compiler.levels:
            return outcome
        lowest = self.execute(artifact, inputs, level=self.compiler.levels[0])
        return replace(outcome, status=Status.unsupported) if lowest.status in ("error", "unsupported") else outcome

    def uncompiled(self, model: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """Return the outputs of an ONNX model by ONNX's reference evaluator; None if that cannot run it."""
        return self.sandbox.uncompiled(model, inputs)

    def run_script(self, path: Path) -> Script:
        """Run a Python file that uses the compiler (see :func:`polyjuice.execution.run_script`)."""
        options = {"device": self.conditions.device}
        return run_script(path, self.compiler, self.conditions.python, self._limits, options)

    @property
    def _limits(self) -> Limits:
        return Limits(compile_s=self.conditions.timeout_s, run_s=self.conditions.timeout_s)

    def measure(self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        """Execute an artifact and time it: the outcome has ``times`` and ``peak``."""
        return self.worker().execute(artifact, inputs, reference=False, measure_s=_MEASURE_S)
