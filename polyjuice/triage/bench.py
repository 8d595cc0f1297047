"""The compiler under test in worker processes of its own, and how it is called."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, Limits, Outcome, Worker
from polyjuice.ir import Graph, digest
from polyjuice.lower import Unlowerable, lower
from polyjuice.oracles import Case, Lab

#: How long a program is timed for (the performance oracle, which does so several times).
_MEASURE_S = 0.1


@dataclass(frozen=True)
class Settings:
    """How a compiler is called.

    ``python`` has it; ``level`` is "" for its default; ``timeout_s`` bounds one compilation, and one run; ``opset`` is
    that of ONNX models. With ``uncompiled`` the framework's own run is made too. ``disabled`` names knobs of the
    compiler that are switched off, and with ``trace`` it says in full what it did (see `CompilerFile`).
    """

    python: str = sys.executable
    device: str = "cpu"
    level: str = ""
    timeout_s: float = 60.0
    opset: int = 18
    uncompiled: bool = True
    disabled: tuple[str, ...] = ()
    trace: bool = False


class Bench:
    """One worker for the settings' level, and one for every other optimization level that is asked for."""

    def __init__(self, settings: Settings, compiler: CompilerInfo) -> None:
        self.compiler = compiler
        self.settings = settings
        self._workers: dict[str, Worker] = {}

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()

    def fresh(self) -> Bench:
        """Another bench, whose processes have seen nothing yet."""
        return Bench(self.settings, self.compiler)

    def worker(self, level: str = "") -> Worker:
        if level not in self._workers:
            settings = self.settings
            limits = Limits(compile_s=settings.timeout_s, run_s=settings.timeout_s)
            options: dict[str, object] = {"device": settings.device}
            if chosen := level or settings.level:
                options["level"] = chosen
            if settings.disabled:
                options["disable"] = list(settings.disabled)
            if settings.trace:
                options["trace"] = True
            self._workers[level] = Worker(self.compiler, python=settings.python, limits=limits, options=options)
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

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        return self.worker(level).execute(artifact, inputs, reference=self.settings.uncompiled, compile=compile)

    def measure(self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        return self.worker().execute(artifact, inputs, reference=False, measure_s=_MEASURE_S)

    def lower(self, graph: Graph) -> Artifact | None:
        opset, lacks = self.settings.opset, self.compiler.lacks
        try:
            return lower(graph, self.compiler.format, digest(graph), opset=opset, lacks=lacks)
        except Unlowerable:
            return None


def rerun(case: Case, lab: Lab) -> Case:
    """The case with the outcomes of its variants compiled and run once more."""
    return replace(case, tested=[replace(t, outcome=lab.execute(t.artifact, case.inputs)) for t in case.tested])
