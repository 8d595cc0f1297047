"""The files with which a suite runs without Polyjuice: its tests, the worker, and the compiler files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyjuice import compilers, execution

VERSION = 1
"""The version of the suite's form."""

_HERE = Path(__file__).parent / "carried"
_EXECUTION = Path(execution.__file__).parent


def write(out: Path, about: Mapping[str, Any]) -> None:
    """Write everything to a suite's folder except its cases; ``about`` is the content of ``suite.json``."""
    for name in ("README.md", "conftest.py", "test_suite.py", "xfail.toml"):
        shutil.copyfile(_HERE / name, out / name)
    harness = out / "harness"
    (harness / "compilers").mkdir(parents=True)
    for path in (*(_HERE / "harness").glob("[!_]*.py"), _EXECUTION / "worker.py", _EXECUTION / "_wire.py"):
        shutil.copyfile(path, harness / path.name)
    for name in compilers.names():
        compiler = compilers.find(name)
        path = compiler.path
        if not compiler.uses_polyjuice:
            shutil.copyfile(path, harness / "compilers" / f"{name}.py")
            for shared in path.parent.glob("_[!_]*.py"):
                shutil.copyfile(shared, harness / "compilers" / shared.name)
    (out / "suite.json").write_text(json.dumps({"version": VERSION, **about}, indent=1) + "\n", encoding="utf-8")
