"""Inductor as Polyjuice's compiler file uses it, with a trace that also has the steps from line to line that are new.

A step reads ``step ir.py:12>34``. It is new if no earlier program of the process made it. What the import of Inductor
runs does not count. The interpreter of the compiler needs the package `coverage`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import coverage

sys.modules[__package__].__path__.append(str(Path(__file__).parents[2] / "polyjuice" / "compilers"))
from . import inductor  # type: ignore[attr-defined] # noqa: E402

version, check, prepare, knobs = inductor.version, inductor.check, inductor.prepare, inductor.knobs
load, eager, compile, run = inductor.load, inductor.eager, inductor.compile, inductor.run
draft, build = inductor.draft, inductor.build

_coverage = coverage.Coverage(data_file=None, branch=True, source_pkgs=["torch._inductor"])
_seen: set[str] = set()
_PACKAGE = "/torch/_inductor/"


def start(options: dict[str, Any]) -> None:
    """Prepare the process, then watch Inductor."""
    inductor.start(options)
    _coverage.start()


def trace(compiled: Any) -> Sequence[str]:
    """Return Inductor's trace and the new steps, those of failed programs since the last call included."""
    data = _coverage.get_data()
    found = {
        f"step {file.partition(_PACKAGE)[2]}:{before}>{after}"
        for file in data.measured_files()
        if _PACKAGE in file  # not the modules that Inductor writes
        for before, after in data.arcs(file) or ()
    }
    new = found - _seen
    _seen.update(new)
    return [*inductor.trace(compiled), *sorted(new)]
