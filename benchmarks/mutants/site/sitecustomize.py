"""Plants the compiler faults that POLYJUICE_MUTANT names, such as ``tvm/a,tvm/b``; without it, does nothing.

If it is ``by-program``, each program's setup names the faults (under ``faults``). Polyjuice's worker then compiles and
runs each program in a fork of itself. So one process, which imports the compiler once, tries all sets of faults. The
program's trace ends with the faults that it met.

Python runs this file at its start if the folder is on PYTHONPATH, and so does Polyjuice's worker. A fault is the file
``faults/<compiler>/<name>.py``. Its constant MODULE names a module of the compiler. After the import of that module,
and not before, the fault's file runs, and its ``plant(module)`` is called. A process that never imports the compiler,
such as Polyjuice's own, is not affected.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from planted import met, optimizers

VARIABLE = "POLYJUICE_MUTANT"
BY_PROGRAM = "by-program"
FAULTS = Path(__file__).resolve().parents[1] / "faults"


class Planter(MetaPathFinder):
    """An import hook that plants a fault after the import of one module, and leaves all others alone."""

    def __init__(self, fault: Path, target: str) -> None:
        self._fault, self._target = fault, target
        self._finding = False

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the module's own spec with a loader that plants the fault; None for other modules."""
        if name != self._target or self._finding:
            return None
        self._finding = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._finding = False
        if spec is not None and spec.loader is not None:
            spec.loader = PlantingLoader(spec.loader, self._fault)
        return spec


class PlantingLoader(Loader):
    """A module's own loader, which plants the fault after the import."""

    def __init__(self, loader: Loader, fault: Path) -> None:
        self._loader, self._fault = loader, fault

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as its own loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, then plant the fault."""
        self._loader.exec_module(module)
        load(self._fault).plant(module)


@cache
def load(fault: Path) -> ModuleType:
    """Run a fault's file, and return it as a module with the fault's name."""
    spec = importlib.util.spec_from_file_location(f"{fault.parent.name}/{fault.stem}", fault)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def target(fault: Path) -> str:
    """Return the name of the module that a fault changes, read from the fault's text without running it."""
    for statement in ast.parse(fault.read_text(encoding="utf-8"), str(fault)).body:
        if isinstance(statement, ast.Assign) and [ast.unparse(name) for name in statement.targets] == ["MODULE"]:
            return str(ast.literal_eval(statement.value))
    raise SystemExit(f"{VARIABLE}: {fault} has no constant MODULE")


def find(name: str) -> Path:
    """Return the file of a fault. Exit with a one-line message if there is none of that name."""
    names = {f"{file.parent.name}/{file.stem}": file for file in FAULTS.glob("*/*.py")}
    if name not in names:
        # Python goes on after any other exception in a site hook, and would then run without the fault.
        raise SystemExit(f"{VARIABLE}: no fault is called {name!r}; there are {', '.join(sorted(names))}")
    return names[name]


def plant(fault: Path) -> None:
    """Let a fault change its module, now or after its import."""
    module = target(fault)
    if module in sys.modules:
        load(fault).plant(sys.modules[module])
    else:
        sys.meta_path.insert(0, Planter(fault, module))


def by_program(job: Any) -> None:
    """Make the worker's job run in a fork, with only the faults planted that its program names."""
    execute = job.execute

    def in_a_fork(self: Any) -> Any:
        setup = dict(self.request["setup"])
        faults = [find(name) for name in setup.pop("faults", ())]
        for fault in faults:
            load(fault)  # here, so that the forks need not load it again

        def planted() -> Any:
            for fault in faults:
                plant(fault)
            self.request = {**self.request, "setup": setup}
            report, arrays = execute(self)
            report["trace"] = [*report["trace"], *sorted(met)]
            return report, arrays

        return forked(planted)

    job.execute = in_a_fork


def telling(worker: ModuleType) -> None:
    """Add planted optimizers to the knobs of the worker's compiler, and the faults met to its traces."""
    load_compiler, execute = worker.load_compiler, worker.Job.execute

    def loaded(path: Path) -> ModuleType:
        compiler: ModuleType = load_compiler(path)
        knobs = compiler.knobs
        compiler.knobs = lambda: [*knobs(), *sorted(optimizers)]  # type: ignore[attr-defined]
        return compiler

    def executed(self: Any) -> Any:
        met.clear()
        report, arrays = execute(self)
        report["trace"] = [*report["trace"], *sorted(met)]
        return report, arrays

    worker.load_compiler = loaded  # type: ignore[attr-defined]
    worker.Job.execute = executed


def forked(call: Callable[[], Any]) -> Any:
    """Run a call in a child process and return its result. If the child dies, this process dies the same way."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        main.process = os.getpid()  # type: ignore[attr-defined]
        with os.fdopen(writing, "wb") as stream:
            pickle.dump(call(), stream)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        result = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        os.kill(os.getpid(), -status)
    elif status:
        os._exit(status)
    return pickle.loads(result)


main = sys.modules["__main__"]
is_worker = hasattr(main, "Job")  # false in processes that the compiler starts
if os.environ.get(VARIABLE) == BY_PROGRAM:
    if is_worker:
        by_program(main.Job)
else:
    named = [name for name in os.environ.get(VARIABLE, "").split(",") if name]
    for name in named:
        plant(find(name))
    if named and is_worker:
        telling(main)
