"""Plants the compiler faults that POLYJUICE_MUTANT names, as in ``tvm/a,tvm/b``; without it, does nothing.

Where it is ``by-program``, the faults are those that each program's setup names (under ``faults``), and Polyjuice's
worker compiles and runs each program in a fork of itself: all sets of faults are tried in one process that has
imported the compiler once. The program's trace then ends with the faults that it met.

Python runs this file as it starts where its folder is on PYTHONPATH, and so does Polyjuice's worker. A fault is the
file ``faults/<compiler>/<name>.py``. Its constant MODULE names a module of the compiler: once that has been imported,
and not before, the fault's file is run and its ``plant(module)`` called. A process that never imports the compiler,
as Polyjuice's own, pays nothing and stays as it is.
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
    """Leaves the import of all modules as it is, but for one, after which the fault is planted."""

    def __init__(self, fault: Path, target: str) -> None:
        self._fault, self._target = fault, target
        self._finding = False

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
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
    """A module's own loader, and the fault behind it."""

    def __init__(self, loader: Loader, fault: Path) -> None:
        self._loader, self._fault = loader, fault

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        load(self._fault).plant(module)


@cache
def load(fault: Path) -> ModuleType:
    """Run a fault's file, as a module that has the fault's name."""
    spec = importlib.util.spec_from_file_location(f"{fault.parent.name}/{fault.stem}", fault)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def target(fault: Path) -> str:
    """The module that a fault changes, by the fault's text alone."""
    for statement in ast.parse(fault.read_text(encoding="utf-8"), str(fault)).body:
        if isinstance(statement, ast.Assign) and [ast.unparse(name) for name in statement.targets] == ["MODULE"]:
            return str(ast.literal_eval(statement.value))
    raise SystemExit(f"{VARIABLE}: {fault} has no constant MODULE")


def find(name: str) -> Path:
    """The file of a fault. Exits, in the words of one line, where there is none of that name."""
    names = {f"{file.parent.name}/{file.stem}": file for file in FAULTS.glob("*/*.py")}
    if name not in names:
        # Python goes on after any other exception in a site hook, and would then run without the fault.
        raise SystemExit(f"{VARIABLE}: no fault is called {name!r}; there are {', '.join(sorted(names))}")
    return names[name]


def plant(fault: Path) -> None:
    """Have a fault change its module, now or once that has been imported."""
    module = target(fault)
    if module in sys.modules:
        load(fault).plant(sys.modules[module])
    else:
        sys.meta_path.insert(0, Planter(fault, module))


def by_program(job: Any) -> None:
    """Have the worker's job run where the faults that its program names are planted, and nowhere else."""
    execute = job.execute

    def in_a_fork(self: Any) -> Any:
        setup = dict(self.request["setup"])
        faults = [find(name) for name in setup.pop("faults", ())]
        for fault in faults:
            load(fault)  # here, and not again in each fork

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
    """Have the worker's compiler count planted optimizers among its knobs, and its traces name the faults met."""
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
    """What a call returns in a child process. Where that dies, this one does too."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
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
is_worker = hasattr(main, "Job")  # and no process that the compiler starts
if os.environ.get(VARIABLE) == BY_PROGRAM:
    if is_worker:
        by_program(main.Job)
else:
    named = [name for name in os.environ.get(VARIABLE, "").split(",") if name]
    for name in named:
        plant(find(name))
    if named and is_worker:
        telling(main)
