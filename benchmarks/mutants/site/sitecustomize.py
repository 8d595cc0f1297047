"""Plants the compiler faults that POLYJUICE_MUTANT names, as in ``tvm/a,tvm/b``; without it, does nothing.

Python runs this file as it starts where its folder is on PYTHONPATH, and so does Polyjuice's worker. A fault is the
file ``faults/<compiler>/<name>.py``. Its constant MODULE names a module of the compiler: once that has been imported,
and not before, the fault's file is run and its ``plant(module)`` called. A process that never imports the compiler,
as Polyjuice's own, pays nothing and stays as it is.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

VARIABLE = "POLYJUICE_MUTANT"
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
        plant(self._fault, module)


def plant(fault: Path, module: ModuleType) -> None:
    """Run a fault's file, as the module ``planted_fault``, and have it change `module`."""
    spec = importlib.util.spec_from_file_location("planted_fault", fault)
    assert spec is not None
    assert spec.loader is not None
    planted = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = planted
    spec.loader.exec_module(planted)
    planted.plant(module)


def target(fault: Path) -> str:
    """The module that a fault changes, by the fault's text alone."""
    for statement in ast.parse(fault.read_text(encoding="utf-8"), str(fault)).body:
        if isinstance(statement, ast.Assign) and [ast.unparse(name) for name in statement.targets] == ["MODULE"]:
            return str(ast.literal_eval(statement.value))
    raise SystemExit(f"{VARIABLE}: {fault} has no constant MODULE")


def main(name: str) -> None:
    """Prepare for planting a fault. Exits, in the words of one line, where there is none of that name."""
    names = {f"{file.parent.name}/{file.stem}": file for file in FAULTS.glob("*/*.py")}
    if name not in names:
        # Python goes on after any other exception in a site hook, and would then run without the fault.
        raise SystemExit(f"{VARIABLE}: no fault is called {name!r}; there are {', '.join(sorted(names))}")
    module = target(names[name])
    if module in sys.modules:
        plant(names[name], sys.modules[module])
    else:
        sys.meta_path.insert(0, Planter(names[name], module))


for named in filter(None, os.environ.get(VARIABLE, "").split(",")):
    main(named)
