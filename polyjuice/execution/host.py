"""Workers run an artifact on inputs and return an outcome, even if the compiler crashes or hangs its process."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from polyjuice.compilers import CompilerInfo, EnvironmentProblem, find
from polyjuice.execution import _wire
from polyjuice.execution.forkserver import ForkServer, forget, server_of
from polyjuice.execution.process import MEMORY_EXCESS, WorkerProcess, describe_exit, is_python, launcher
from polyjuice.execution.protocol import (
    Artifact,
    Gradients,
    Limits,
    Memory,
    Outcome,
    Probe,
    Stage,
    Status,
    from_wire,
    to_wire,
)
from polyjuice.execution.scripts import Forked, FromScratch, Script
from polyjuice.execution.space import shortage_of
from polyjuice.wording import visible

T = TypeVar("T")

Draft = tuple[Artifact, Sequence[Sequence[NDArray[Any]]], int]
"""An artifact, its sets of inputs, and its number of programs, which multiplies its time limits."""

Instead = Callable[[int, Outcome], Iterable[Draft]]
"""Return what to execute instead of a draft that failed, by its number and its outcome."""

_GIB = 2**30
_NEEDS = "Python >= 3.9 and NumPy >= 1.24"
_ACCOUNT: dict[Stage, str] = {"load": "other", "eager": "run", "compile": "compile", "run": "run"}
_MESSAGE_STDERR = 2_000  # the last characters of standard error, which a crash's message includes


class Worker:
    """Runs artifacts, one at a time, in a process of the interpreter `python`. A context manager, for one thread.

    The process starts with the first artifact. A new one replaces it after a crash or a hang, or when it has grown too
    large. `seconds` adds up the time spent: `start` (until a process has imported the framework), `compile` (with the
    preparation once per process), `run` (with eager), and `other` (loading and transfers). `options` are described at
    `compilers.CompilerFile.start`; `variables` are further environment variables of the process.
    """

    def __init__(
        self,
        compiler: CompilerInfo,
        *,
        python: str | Path = sys.executable,
        limits: Limits | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.compiler = compiler
        self.python = python
        self.limits = limits or Limits()
        self.options = dict(options or {})
        self.seconds = {"start": 0.0, "compile": 0.0, "run": 0.0, "other": 0.0}
        self.info: dict[str, Any] = {}
        """The worker's report at its start: version, python (of the interpreter), knobs, anytime. Empty before."""
        self._process: WorkerProcess | None = None
        self._holds: tuple[WorkerProcess, Sequence[Sequence[NDArray[Any]]]] | None = None
        """The process that inputs were last sent to, and these inputs."""

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the process that runs now, or None."""
        return self._process.pid if self._process else None

    def kill(self) -> None:
        """Kill the process that runs now, if there is one, from any thread."""
        if pid := self.pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def start(self) -> None:
        """Start the process, if none runs. Raises EnvironmentProblem if the compiler cannot be used.

        A new process replaces one that was killed while it had nothing to do, or whose folder has grown.
        """
        if self._process and (self._process.has_ended or self._process.has_grown):
            self._discard()
        if self._process:
            return
        begin, prepared = time.perf_counter(), 0.0
        try:
            self._process, self.info = _launch(self.compiler, self.python, self.limits, self.options)
            prepared = self.info.pop("prepared_s")
            self.seconds["compile"] += prepared
        finally:
            self.seconds["start"] += time.perf_counter() - begin - prepared

    def warm(self) -> None:
        """Begin to start the process from which workers are forked, if there is one, without waiting until it is ready.

        Raises EnvironmentProblem if it cannot be started.
        """
        if self.compiler.forks:
            server_of(self.compiler, self.python, self.options)

    def execute(
        self,
        artifact: Artifact,
        inputs: Sequence[Sequence[NDArray[Any]]],
        *,
        reference: bool = True,
        compile: bool = True,
        measure_s: float = 0.0,
    ) -> Outcome:
        """Load and compile an artifact, and run it on each set of inputs (at least one; all of one signature).

        With `reference`, the framework also runs it uncompiled, if it can. Without `compile`, only that happens. With
        `measure_s`, the compiled program then runs repeatedly for about that many seconds: the outcome's `times` and
        `peak`. Inputs that are the same objects as in the last call are not sent again, so do not change them in place.

        Raises EnvironmentProblem if the compiler cannot be used here, and ValueError for an artifact of another format.
        Raises TypeError for an array whose dtype no frame can carry.
        """
        try:
            self.start()
        except _StartFailed as failed:
            if not self.info:  # no process ever started: no compiled program is to blame
                raise
            return failed.outcome
        asked = {"step": "execute", "reference": reference, "compile": compile, "measure_s": measure_s}
        try:
            header, results = self._ask(*self._request(artifact, inputs, asked))
        except _Lost as lost:
            return lost.outcome
        self._account(header["seconds"])
        # A process that has run out of memory may fail on the next artifact too.
        if header.get("out_of_memory"):
            self._discard()
        self._recycle(header)
        return _reported(header, results, len(inputs))

    def execute_together(
        self, drafts: Sequence[Draft], instead: Instead = lambda number, outcome: (), *, reference: bool = True
    ) -> list[Outcome | None]:
        """Execute several artifacts with a compiler that builds them together in less time.

        If one fails before the common build, what `instead` returns for its number and outcome is drafted as well.
        Return one outcome per draft, or None if the artifact did not run: no process started, or another artifact ended
        the process. If the process is lost during the common build, every artifact gets that outcome. Raises as
        `execute` does.
        """
        drafts = list(drafts)
        outcomes: list[Outcome | None] = [None] * len(drafts)
        asked_of: list[int] = []
        try:
            self.start()
            drafted: list[int] = []
            for number, (artifact, inputs, count) in enumerate(drafts):  # which grow meanwhile
                asked = {"step": "draft", "number": number, "reference": reference, "compile": True, "measure_s": 0.0}
                asked_of = [number]
                header, results = self._ask(*self._request(artifact, inputs, asked), programs=count)
                if header["status"] == "drafted":
                    drafted.append(number)
                    continue
                self._account(header["seconds"])
                failed = outcomes[number] = _reported(header, results, len(inputs))
                drafts += instead(number, failed)
                outcomes += [None] * (len(drafts) - len(outcomes))
            if drafted:
                asked_of = drafted
                header, _ = self._ask({"step": "build"}, [], programs=sum(drafts[number][2] for number in drafted))
                self.seconds["compile"] += header["seconds"]
            for number in drafted:
                asked_of = [number]
                header, results = self._ask({"step": "finish", "number": number}, [], programs=drafts[number][2])
                self._account(header["seconds"])
                outcomes[number] = _reported(header, results, len(drafts[number][1]))
                if number == drafted[-1]:
                    self._recycle(header)
        except _StartFailed:
            if not self.info:
                raise
        except _Lost as lost:
            self._holds = None
            for number in asked_of:
                outcomes[number] = lost.outcome
        if any(outcome and outcome.status == Status.crash for outcome in outcomes):
            self._discard()
        return outcomes

    def close(self) -> None:
        """End the process. The worker stays usable: the next artifact starts a new process."""
        self._discard()

    def _request(
        self, artifact: Artifact, inputs: Sequence[Sequence[NDArray[Any]]], asked: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[_wire.Array]]:
        """Return the frame for a step with an artifact. Raises ValueError for an artifact of another format."""
        if artifact.format != self.compiler.format:
            raise ValueError(f"{self.compiler.name} takes {self.compiler.format}, not {artifact.format}")
        source = artifact.source.encode() if isinstance(artifact.source, str) else artifact.source
        assert self._process is not None
        held = self._holds is not None and self._holds[0] is self._process and _same(self._holds[1], inputs)
        request = {
            **asked,
            "text": isinstance(artifact.source, str),
            "names": list(artifact.arrays),
            "arguments": artifact.arguments,
            "results": artifact.results,
            "setup": dict(artifact.setup),
            "passes": self.options.get("trace") == "passes",
            "gradients": True,
            "sets": 0 if held else len(inputs),
        }
        values = [*artifact.arrays.values(), *(array for one in ([] if held else inputs) for array in one)]
        arrays = _wire.checked([_wire.text_array(source), *map(to_wire, values)])
        self._holds = self._process, list(inputs)
        return request, arrays

    def _ask(
        self, request: dict[str, Any], arrays: list[_wire.Array], programs: int = 1
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Send a frame and return the answer, within the time limits of that number of programs. Raises _Lost."""
        assert self._process is not None
        stage: Stage = "load"
        failed = 0
        begin = time.perf_counter()
        try:
            self._process.send(request, arrays, self._limit(stage))
            while True:
                left = begin + programs * self._limit(stage) - time.perf_counter()
                header, results = self._process.receive(max(left, _LEAST_WAIT_S))
                if "status" in header:
                    return header, [from_wire(array) for array in results]
                stage, failed = header["stage"], header["set"]
                if not failed:  # the stage begins
                    begin = time.perf_counter()
        except (EOFError, OSError) as error:
            self.seconds[_ACCOUNT[stage]] += time.perf_counter() - begin
            process, self._process = self._process, None
            raise _Lost(replace(self._lost(process, stage, error, programs), failed=failed)) from None
        except BaseException:  # an interrupt: the channel may be in the middle of a frame
            self._discard(at_once=True)
            raise

    def _lost(self, process: WorkerProcess, stage: Stage, error: EOFError | OSError, programs: int) -> Outcome:
        """Return the outcome for a process that hung or ended. Raises NoSpace if the disk is full."""
        return _believed(_lost(process, stage, error, programs * self._limit(stage), self.limits))

    def _limit(self, stage: Stage) -> float:
        return self.limits.compile_s if stage in ("load", "compile") else self.limits.run_s

    def _account(self, spent: Mapping[str, float]) -> None:
        self.seconds["compile"] += spent["compile"]
        self.seconds["run"] += spent["eager"] + spent["run"]
        self.seconds["other"] += spent["load"] + spent["other"]

    def _recycle(self, report: Mapping[str, Any]) -> None:
        """End the process if it has grown too large, or if the compiler has changed what the next program needs."""
        if report.get("rss", 0) > self.limits.recycle_rss_gib * _GIB or report["disturbed"]:
            self._discard()

    def _discard(self, *, at_once: bool = False) -> None:
        if self._process:
            self._process.stop(at_once=at_once)
            self._process = None


def run_script(
    path: Path, compiler: CompilerInfo, python: str | Path, limits: Limits, options: Mapping[str, Any]
) -> Script:
    """Run a Python file that uses the compiler, in a forked process if the compiler allows that.

    Raises EnvironmentProblem if the compiler cannot be used.
    """
    if not compiler.forks:
        return FromScratch(path, str(python))
    return _forked(lambda server: Forked(path, server, options), compiler, python, limits, options)


_LEAST_WAIT_S = 0.001
"""The wait for what the worker may have sent already. With 0 the channel raises another error than TimeoutError."""

_Results = tuple[tuple[NDArray[Any], ...], ...]
"""The arrays of each set of inputs."""


class _Lost(Exception):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


def _reported(report: Mapping[str, Any], arrays: list[NDArray[Any]], sets: int) -> Outcome:
    """Return the outcome of one artifact. Raises NoSpace if it failed because the disk is full."""
    try:
        return _believed(_outcome(report, arrays, sets))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = f"the compiler file reports what cannot be read: {type(error).__name__}: {error}"
        return Outcome(status=Status.error, stage="run", message=visible(message))


def _believed(outcome: Outcome) -> Outcome:
    """Return the outcome, with a text that can be printed. Raises NoSpace if it comes from a full disk."""
    if full := shortage_of(outcome):
        raise full
    return replace(outcome, message=visible(outcome.message), traceback=visible(outcome.traceback))


def _outcome(report: Mapping[str, Any], arrays: list[NDArray[Any]], sets: int) -> Outcome:
    spent = report["seconds"]
    count = len(arrays) - (report["reference"] or 0)
    outputs, gradients = _separated(_grouped(arrays[:count], sets), report.get("gradients", ()))
    reference, their_gradients = _separated(_grouped(arrays[count:], sets), report.get("reference_gradients", ()))
    return Outcome(
        status=Status.crash if report.get("out_of_memory") else Status(report["status"]),
        stage=report["stage"],
        outputs=outputs,
        reference=None if report["reference"] is None else reference,
        memory=_memory(report.get("memory", ())),
        reference_memory=_memory(report.get("reference_memory", ())),
        gradients=gradients,
        reference_gradients=their_gradients,
        message=report["message"],
        traceback=report["traceback"],
        failed=report.get("set", 0),
        compile_s=spent["compile"],
        run_s=spent["eager"] + spent["run"],
        trace=tuple(report["trace"]),
        times=tuple(report["times"]),
        peak=report["peak"],
        disturbed=tuple(report["disturbed"]),
    )


def _memory(reports: Sequence[Mapping[str, Any] | None]) -> tuple[Memory, ...]:
    return tuple(Memory.of(one) for one in reports if one is not None)


def _separated(results: _Results, numbers: Sequence[int]) -> tuple[_Results, tuple[Gradients, ...]]:
    """Separate the gradients by the inputs of these numbers from the outputs before them, for each set of inputs."""
    if not numbers:
        return results, ()
    count = len(numbers)
    return tuple(one[:-count] for one in results), tuple(
        dict(zip(numbers, one[-count:], strict=True)) for one in results
    )


def _grouped(arrays: list[NDArray[Any]], sets: int) -> _Results:
    length = len(arrays) // sets
    return tuple(tuple(arrays[i * length : (i + 1) * length]) for i in range(sets)) if arrays else ()


def _same(held: Sequence[Sequence[NDArray[Any]]], inputs: Sequence[Sequence[NDArray[Any]]]) -> bool:
    return len(held) == len(inputs) and all(a is b for a, b in zip(held, inputs, strict=True))


def probe(compiler: CompilerInfo | str, python: str | Path = sys.executable, limits: Limits | None = None) -> Probe:
    """Ask a worker in `python` whether the compiler can be used there. An unusable compiler raises nothing."""
    try:
        info = find(compiler) if isinstance(compiler, str) else compiler
        process, hello = _launch(info, python, limits or Limits(), {}, probe=True)
    except EnvironmentProblem as problem:
        return {"available": False, "version": "", "reason": str(problem)}
    process.stop()
    return {"available": True, "version": hello["version"], "reason": ""}


class _StartFailed(EnvironmentProblem):
    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


def _launch(
    compiler: CompilerInfo,
    python: str | Path,
    limits: Limits,
    options: Mapping[str, Any],
    *,
    probe: bool = False,
) -> tuple[WorkerProcess, dict[str, Any]]:
    """Start a process; return it, ready, with its first report. Raises EnvironmentProblem."""
    memory = limits.memory_gib if options.get("device", "cpu") == "cpu" else None
    if probe or not compiler.forks or options.get("variables"):  # which the framework reads when it is imported
        process = WorkerProcess(launcher(compiler, python), options, limits=limits, memory_gib=memory, probe=probe)
        return process, _greeting(process, compiler, python, limits)

    def fork(server: ForkServer) -> WorkerProcess:
        return WorkerProcess(server.fork, options, limits=limits, memory_gib=memory)

    process = _forked(fork, compiler, python, limits, options)
    return process, _greeting(process, compiler, python, limits)


def _forked(
    fork: Callable[[ForkServer], T],
    compiler: CompilerInfo,
    python: str | Path,
    limits: Limits,
    options: Mapping[str, Any],
) -> T:
    """Fork a process from a server; if the server was killed, replace it once. Raises EnvironmentProblem."""
    server = _server(compiler, python, limits, options)
    try:
        return fork(server)
    except OSError:
        forget(server)
        return fork(_server(compiler, python, limits, options))


def _server(compiler: CompilerInfo, python: str | Path, limits: Limits, options: Mapping[str, Any]) -> ForkServer:
    """Return a fork server that is ready. Raises EnvironmentProblem."""
    server = server_of(compiler, python, options)
    if not server.ready:
        try:
            _greeting(server.process, compiler, python, limits)
        except BaseException:
            forget(server)
            raise
        server.ready = True
    return server


def _greeting(process: WorkerProcess, compiler: CompilerInfo, python: str | Path, limits: Limits) -> dict[str, Any]:
    """Return the first report of a process, sent when it is ready. Raises EnvironmentProblem if it never is."""
    try:
        hello, _ = process.receive(limits.start_s)
    except (EOFError, OSError) as error:
        outcome = _lost(process, "start", error, limits.start_s, limits)
        lines = [*outcome.message.split("\n")[:1], *outcome.traceback.split("\n")[-1:]]
        reason = ": ".join(filter(None, lines))
        if not is_python(python):
            wanted = f"name one that has {compiler.needed()}"
            raise EnvironmentProblem(f"{python} is no Python interpreter: {wanted}") from None
        message = f"{compiler.name} did not start in {python}, which must have {_NEEDS}: {reason}"
        raise _StartFailed(message, outcome) from None
    except BaseException:
        process.stop(at_once=True)
        raise
    if "missing" not in hello and "problem" not in hello:
        return hello
    process.stop()
    if "missing" in hello:
        raise EnvironmentProblem(f"{compiler.name} needs {compiler.needed(python)} (in {python}: {hello['missing']})")
    raise EnvironmentProblem(hello["problem"])


def _lost(process: WorkerProcess, stage: Stage, error: EOFError | OSError, limit: float, limits: Limits) -> Outcome:
    """Return the outcome for a process that hung (TimeoutError) or ended, and clean up after it."""
    hung, garbled = isinstance(error, TimeoutError), isinstance(error, _wire.Garbled)
    alive = not hung and not garbled and not process.ends_soon()
    status = process.stop(at_once=True)
    stderr = process.stderr()
    if hung and not process.excess:
        return Outcome(
            status=Status.hang, stage=stage, message=f"no end of {stage} within {limit:g} s", traceback=stderr
        )
    if process.excess:
        most = limits.memory_gib if process.excess == MEMORY_EXCESS else limits.folder_gib
        end = f"the process was ended, because its {process.excess} exceeded {most:g} GiB"
    elif garbled:
        end = "the process wrote into the channel that reports its results"
    elif alive:
        end = "the process closed the channel that reports its results"
    else:
        end = describe_exit(status)
    message = f"{end} during {stage}\n{stderr[-_MESSAGE_STDERR:]}".strip()
    return Outcome(status=Status.crash, stage=stage, message=message, traceback=stderr)
