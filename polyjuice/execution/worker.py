"""The worker: runs one compiler file, in that compiler's own interpreter, on the artifacts that the host sends.

The host starts it as `python -I worker.py COMPILER_FILE SETTINGS_JSON`, with a stream socket as its standard input. It
never imports the polyjuice package, and keeps to Python 3.9, the standard library and NumPy.

With the setting `server`, the process is a fork server: it imports the framework, does the preparation that all workers
share, and then forks a worker for each request of the host (see _forks.py). With the setting `script`, a forked process
runs that Python file and ends.

The frames (format in _wire.py):

    to the host, once      {version, python, knobs, anytime, prepared_s: seconds that the compiler took to get ready},
                           or {missing: text} or {problem: text} and then it ends
    from the host          {step: execute, names, arguments, results, setup, text, reference, compile, measure_s,
                           passes, sets, gradients}
                           with source, named arrays, and the inputs of each set; with no set, those of the artifact
                           before
    to the host            {stage: name} as each stage begins, then {status, ...} with the outputs of each set,
                           and those of the reference; {memory, reference_memory} say what these runs did to memory.
                           If the host asks for gradients, {gradients, reference_gradients} have the numbers of the
                           inputs whose gradients follow the outputs of each set

To compile several artifacts together, the host sends the step `draft` for each, then {step: build}, and then
{step: finish, number} for each draft, counted from 0. The worker answers a draft with a status, which is `drafted` if
the draft can be finished. It answers `build` with the seconds spent.
"""

from __future__ import annotations

import faulthandler
import fcntl
import gc
import importlib.machinery
import importlib.util
import json
import os
import platform
import re
import resource
import select
import site
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "_polyjuice_compilers"
MESSAGE_LIMIT = 4_000
TRACEBACK_LIMIT = 20_000
process = 0
"""The process that may answer the host. A fork that should answer instead has to put its own number here."""

TEXT_LIMIT = 2_000_000  # characters of an error that are searched for warnings and paths
LEAST_RUNS, MOST_RUNS = 5, 1_000
_OUT_OF_MEMORY = (
    "std::bad_alloc",
    "can't allocate memory",
    "Cannot allocate memory",
    "virtual memory exhausted",
)

_WARNING = re.compile(r"^.*: warning: .*\n(?: *\d* \|.*\n)*", re.MULTILINE)
"""A warning of g++ or clang++, with the source lines that it quotes."""


def main(compiler_file: str, settings_json: str) -> None:
    """Prepare the process and the compiler, then serve the host until it hangs up."""
    settings = json.loads(settings_json)
    keeper = _load_neighbour("_keeper")
    keeper.give_way()
    if not settings["server"]:
        keeper.keep(settings["end"], settings["lifeline"], settings["options"]["scratch"], settings["limits"])
    channel = _take_channel()
    _die_with_host(settings["lifeline"])
    _report_crashes()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _apply_python_path()
    os.environ.update(settings["options"].get("variables", {}))
    wire = _load_neighbour("_wire")
    environment = dict(os.environ)
    try:
        compiler = load_compiler(Path(compiler_file))
        _report_crashes()
        version = compiler.version()
        compiler.check()
        began = time.perf_counter()
        if settings["server"]:
            if hasattr(compiler, "prepare"):
                compiler.prepare(settings["options"])
            wire.write(channel, {"prepared_s": time.perf_counter() - began})
            forks = _load_neighbour("_forks")
            channel, settings = forks.serve(channel, keeper.keep)
            _die_with_host(settings["lifeline"])
            if settings["script"]:
                forks.run_script(**settings["script"], environment=environment)
            began = time.perf_counter()
        if not settings["probe"]:
            compiler.start(settings["options"])
        prepared = time.perf_counter() - began
    except ImportError as error:
        wire.write(channel, {"missing": _one_line(error)})
        return
    except RuntimeError as error:
        wire.write(channel, {"problem": _one_line(error)})
        return
    if settings["memory_gib"] is not None:
        _limit_memory(settings["memory_gib"])
    hello = {"version": version, "python": platform.python_version(), "knobs": compiler.knobs()}
    hello["anytime"] = compiler.anytime() if hasattr(compiler, "anytime") else []
    wire.write(channel, {**hello, "prepared_s": prepared})
    _serve(channel, wire, compiler, Surroundings(settings["options"]["scratch"]))
    with suppress(OSError, ValueError):  # the compiler may have closed it
        sys.stderr.flush()
    os._exit(0)  # a framework's exit handlers may wait for threads that a forked process does not have


def _report_crashes() -> None:
    """Let a crash print Python's stack and end the process, whatever handlers the framework brought along.

    TVM's handler of SIGSEGV allocates memory: after a crash inside of ``malloc`` it waits for a lock for ever.
    """
    faulthandler.disable()  # enabled twice, it leaves the handlers as they are
    faulthandler.enable()


def _serve(channel: socket.socket, wire: ModuleType, compiler: ModuleType, surroundings: Surroundings) -> None:
    """Answer requests until the host closes its side of the channel."""
    stream = channel.makefile("rb")
    inputs: list[Sequence[Any]] = []
    drafts: list[Job] = []

    global process
    process = os.getpid()

    def write(header: dict[str, Any], arrays: Sequence[Any] = ()) -> None:
        if os.getpid() != process:  # a fork of the compiler's has come out of the compiler
            os._exit(1)
        wire.write(channel, header, arrays)

    def announce(stage: str, number: int) -> None:
        write({"stage": stage, "set": number})

    def answer(report: dict[str, Any], arrays: list[Any]) -> None:
        write({**report, "disturbed": surroundings.changes()}, arrays)

    while True:
        try:
            request, arrays = wire.read(stream)
        except (EOFError, ConnectionError):
            return
        if request["step"] == "build":
            announce("compile", 0)
            began = time.perf_counter()
            compiler.build()
            write({"status": "built", "seconds": time.perf_counter() - began})
        elif request["step"] == "finish":
            answer(*drafts[request["number"]].finish())
        else:
            first = 1 + len(request["names"])
            if request["sets"]:
                inputs = _split(arrays[first:], request["sets"])
            job = Job(compiler, announce, wire.checked, request, arrays[:first], inputs)
            if request["step"] == "execute":
                answer(*job.execute())
            else:
                drafts = [*(drafts if request["number"] else ()), job]
                answer(*job.draft())


class Job:
    """Takes one artifact through the stages, and announces and times each."""

    def __init__(
        self,
        compiler: ModuleType,
        announce: Callable[[str, int], None],
        checked: Callable[[Any], list[Any]],
        request: dict[str, Any],
        arrays: Sequence[Any],
        input_sets: Sequence[Sequence[Any]],
    ) -> None:
        self._compiler = compiler
        self._announce = announce
        self._checked = checked
        self.request = request
        self._arrays = arrays
        self._input_sets = input_sets
        self._inputs: list[list[Any]] = []
        self._compiled: Any = None
        self._reference: list[Any] | None = None
        self._outputs: list[Any] = []
        self._trace: list[str] = []
        self._effects: dict[str, list[Any]] = {}
        self._answer: dict[str, Any] = {}
        self._set = 0
        self.stage = "load"
        self.seconds = {"load": 0.0, "eager": 0.0, "compile": 0.0, "run": 0.0}

    @contextmanager
    def _in(self, stage: str) -> Iterator[None]:
        self.stage, self._set = stage, 0
        self._announce(stage, 0)
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = time.perf_counter() - begin

    def execute(self) -> tuple[dict[str, Any], list[Any]]:
        """Run all stages. Return the report, and the outputs and then reference outputs of each set of inputs."""
        return self._reported(self._whole)

    def draft(self) -> tuple[dict[str, Any], list[Any]]:
        """Run the stages before the common build. Return the report, and its arrays if the job ends here."""
        report, arrays = self._reported(self._drafted)
        return report, [] if report["status"] == "drafted" else arrays

    def finish(self) -> tuple[dict[str, Any], list[Any]]:
        """Run the stages after the common build. Return as :meth:`execute` does."""
        return self._reported(self._finished)

    def _whole(self) -> None:
        program = self._load()
        if self.request["compile"]:
            with self._in("compile"):
                self._compiled = self._compiler.compile(program, self._inputs[0])
            self._run()
            self._answer["trace"] = self._traced()

    def _drafted(self) -> None:
        program = self._load()
        with self._in("compile"):
            self._compiled = self._compiler.draft(program, self._inputs[0])
        self._trace = self._traced()  # the next draft overwrites what the compiler knows of this one
        self._answer["status"] = "drafted"

    def _finished(self) -> None:
        self._run()
        self._answer["trace"] = self._trace

    def _traced(self) -> list[str]:
        found = map(str, self._compiler.trace(self._compiled)) if hasattr(self._compiler, "trace") else ()
        return list(found if self.request.get("passes") else dict.fromkeys(found))

    def _load(self) -> Any:
        request, compiler = self.request, self._compiler
        source = self._arrays[0][1].tobytes()
        named = {name: self._arrays[1 + index] for index, name in enumerate(request["names"])}
        arguments = [named[name] for name in request["arguments"]]
        self._inputs = [[*one, *arguments] for one in self._input_sets]
        text = source.decode() if request["text"] else source
        with self._in("load"):
            program = compiler.load({"source": text, "arrays": named, "setup": request["setup"]})
        if request["reference"] and hasattr(compiler, "eager"):
            with self._in("eager"):
                self._reference = self._results(compiler.eager, program, "reference_")
        return program

    def _run(self) -> None:
        compiler, seconds = self._compiler, self.request["measure_s"]
        with self._in("run"):
            self._outputs = self._results(compiler.run, self._compiled, "")
            if seconds:
                self._answer.update(_measure(lambda: compiler.run(self._compiled, self._inputs[0]), seconds))

    def _results(self, run: Callable[[Any, Any], Any], program: Any, prefix: str) -> list[Any]:
        """Return the outputs, and gradients, for all sets of inputs; keep what else the host learns of these runs."""
        results = []
        for number, one in enumerate(self._inputs):
            if number:  # if the process dies, the host knows on which inputs
                self._announce(self.stage, number)
            self._set = number
            results.append(run(program, one))
        asked = self.request.get("gradients")
        gradients = [(asked and getattr(one, "gradients", None)) or {} for one in results]
        numbers = [*gradients[0]] if all(gradients) else []
        self._effects[prefix + "memory"] = [getattr(one, "memory", None) for one in results]
        self._effects[prefix + "gradients"] = numbers
        outputs = [
            self._checked([*one[: self.request["results"]], *(own[number] for number in numbers)])
            for one, own in zip(results, gradients)  # noqa: B905 - Python 3.9
        ]
        if len(counts := {len(one) for one in outputs}) > 1:
            raise TypeError(f"on equal shapes of inputs, the numbers of outputs are {sorted(counts)}")
        return [array for one in outputs for array in one]

    def _reported(self, work: Callable[[], None]) -> tuple[dict[str, Any], list[Any]]:
        begin, spent = time.perf_counter(), sum(self.seconds.values())
        self._answer = {}
        report: dict[str, Any] = {"status": "ok", "stage": "", "message": "", "traceback": "", "trace": []}
        report.update(times=[], peak=0)
        try:
            work()
        except Exception as error:  # any exception of the compiler is a result for the host
            self._answer = {**_failure(self.stage, error), "set": self._set}
            self._outputs = []
        report.update(self._answer)
        report.update(self._effects)
        other = time.perf_counter() - begin - (sum(self.seconds.values()) - spent)
        reference = self._reference
        report.update(
            seconds={**self.seconds, "other": other},
            reference=None if reference is None else len(reference),
            rss=_rss(),
        )
        return report, self._outputs + (reference or [])


class Surroundings:
    """The process's surroundings as the next program must find them. A compiler may have changed them."""

    def __init__(self, scratch: str) -> None:
        self._scratch = scratch
        self._before = self._now()

    def changes(self) -> list[str]:
        """Name what has changed, so that the host replaces the process."""
        now = self._now()
        return [name for name, value in self._before.items() if now[name] != value]

    def _now(self) -> dict[str, Any]:
        limits = {name: getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")}
        return {
            "its current folder": _identity("."),
            "its temporary folder": _identity(self._scratch),
            "the variable TMPDIR": os.environ.get("TMPDIR"),
            "the signals that it ignores or blocks": _status_lines("SigIgn:", "SigBlk:"),
            "its resource limits": {name: resource.getrlimit(number) for name, number in limits.items()},
            "its standard streams": [_identity(descriptor) for descriptor in (0, 1, 2)],
        }


def _identity(file: str | int) -> tuple[int, int] | None:
    """The device and number of a file, by path or descriptor; None if there is no such file."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _status_lines(*names: str) -> list[str]:
    """Return the entries of /proc/self/status that begin with these names; empty if there is no such file."""
    try:
        return [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(names)]
    except OSError:
        return []


def _measure(call: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Run a warmed-up program for about that many seconds, at least 5 times. Return times (s) and peak (bytes)."""
    times: list[float] = []
    gc.collect()
    before = _reset_peak()
    gc.disable()
    try:
        while len(times) < LEAST_RUNS or (sum(times) < seconds and len(times) < MOST_RUNS):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
    finally:
        gc.enable()
    return {"times": times, "peak": max(_status_bytes("VmHWM") - before, 0)}


def _reset_peak() -> int:
    """Reset the peak of the resident set, if the system can, and return the bytes resident now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status_bytes("VmRSS")


def _status_bytes(name: str) -> int:
    return sum(int(line.split()[1]) * 1024 for line in _status_lines(f"{name}:"))


def _split(arrays: Sequence[Any], parts: int) -> list[Sequence[Any]]:
    length = len(arrays) // parts
    return [arrays[i * length : (i + 1) * length] for i in range(parts)]


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error reports that memory ran out."""
    return isinstance(error, MemoryError) or any(words in _text(error) for words in _OUT_OF_MEMORY)


def _failure(stage: str, error: Exception) -> dict[str, Any]:
    refused = stage in ("load", "eager") or isinstance(error, NotImplementedError)
    trace = traceback.format_exception(type(error), error, error.__traceback__)
    return {
        "status": "unsupported" if refused else "error",
        "out_of_memory": not refused and is_out_of_memory(error),
        "stage": stage,
        "message": _essence(f"{type(error).__name__}: {_text(error)}")[:MESSAGE_LIMIT],
        "traceback": _without_middle(_essence(_without_middle("".join(trace), TEXT_LIMIT)), TRACEBACK_LIMIT),
    }


def _text(error: BaseException) -> str:
    """The text of an error, without the middle if it is very long. The class of an error may define it wrongly."""
    try:
        return _without_middle(str(error), TEXT_LIMIT)
    except Exception as failure:
        return f"<its text cannot be had: str() raises {type(failure).__name__}>"


def _without_middle(text: str, limit: int) -> str:
    """Shorten a traceback to about ``limit`` characters: its start shows where it failed, its end the last error."""
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]}\n...\n{text[-half:]}"


def _essence(text: str) -> str:
    """Remove what makes equal failures differ: the C++ compiler's warnings, and the paths of this machine's folders."""
    text = _WARNING.sub("", text)
    ours = str(Path(__file__).parents[2])
    for folder in sorted({*sys.path, ours, sys.prefix, sys.base_prefix}, key=len, reverse=True):
        if len(folder) > 1:
            text = text.replace(folder + "/", "")
    return text


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _take_channel() -> socket.socket:
    """Move the host's socket off stdin, and stdout onto stderr, so that no print of a framework disturbs the frames."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return channel


def _die_with_host(lifeline: int) -> None:
    """Have the kernel end this process group when the host dies, in whatever way, and whatever the worker is doing.

    The host holds the other end of this pipe and never writes to it, so the only possible event is the host's end.
    The kernel then sends SIGIO, which terminates by default, to the whole group, and so to a running C++ compiler.
    (PR_SET_PDEATHSIG would reach this process alone, and would also act when only a *thread* of the host ends.)
    """
    os.set_inheritable(lifeline, False)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:  # the host died before we asked for the signal
        os._exit(1)


def _apply_python_path() -> None:
    """Apply what Python's -I leaves out: PYTHONPATH, a sitecustomize found there, and the user's site-packages."""
    user_site = site.getusersitepackages()
    in_environment = sys.prefix != sys.base_prefix
    if os.path.isdir(user_site) and not in_environment and "PYTHONNOUSERSITE" not in os.environ:
        site.addsitedir(user_site)
    python_path = os.environ.get("PYTHONPATH")
    if not python_path:
        return
    folders = [os.path.abspath(folder) for folder in python_path.split(os.pathsep)]
    sys.path[:0] = folders
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None:
        _execute(spec)


def load_compiler(path: Path) -> ModuleType:
    """Load a compiler file into a private package, so that onnxruntime.py does not hide the framework."""
    package = ModuleType(PACKAGE)
    package.__path__ = [str(path.parent)]
    sys.modules[PACKAGE] = package
    return _load_file(f"{PACKAGE}.{path.stem}", path)


def _load_file(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ImportError(f"{path} is not a Python file")
    return _execute(spec)


def _load_neighbour(name: str) -> ModuleType:
    return _load_file(f"_polyjuice{name}", Path(__file__).with_name(f"{name}.py"))


def _execute(spec: importlib.machinery.ModuleSpec) -> ModuleType:
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    assert spec.loader is not None
    spec.loader.exec_module(module)
    return module


def _limit_memory(gib: float) -> None:
    """Limit the address space to its present size, with the imported framework, plus ``gib``."""
    limit = _statm(0) + int(gib * 2**30)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):  # macOS lists the limit, but refuses to set it
        return


def _statm(field: int) -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[field]) * resource.getpagesize()
    except FileNotFoundError:
        return 0


def _rss() -> int:
    return _statm(1) or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main(*sys.argv[1:])
