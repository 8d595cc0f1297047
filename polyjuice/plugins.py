"""Parts that other packages add: compilers, oracles, operators, rule files and formats.

An installed package declares such a part by an entry point: a group, the part's name, and the module that holds it.
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

COMPILERS, ORACLES = "polyjuice.compilers", "polyjuice.oracles"
OPERATORS, RULES, FORMATS = "polyjuice.operators", "polyjuice.rules", "polyjuice.formats"
TARGETS = "polyjuice.targets"
"""The groups of entry points."""


class EnvironmentProblem(Exception):
    """Something outside Polyjuice is missing or wrong; the message is one line that says what to do."""


def entries(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group that installed packages declare, by name."""
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=group)}


def loaded(entry: EntryPoint, attribute: str) -> Any:
    """An attribute of a declared module, which is imported. Raises EnvironmentProblem with the module's name."""
    try:
        module = entry.load()
    except Exception as error:
        raise EnvironmentProblem(f"{described(entry)} cannot be loaded: {type(error).__name__}: {error}") from error
    if not hasattr(module, attribute):
        raise EnvironmentProblem(f"{described(entry)}: the module has no {attribute}")
    return getattr(module, attribute)


def described(entry: EntryPoint) -> str:
    """The name of a part and of its module, for a message."""
    return f"the entry point {entry.name} = {entry.value} of {entry.group}"


def located(module: str) -> Path | None:
    """The file of a module, or None. Unlike importlib.util.find_spec, this imports no package that contains it."""
    folders: Sequence[str] | None = None
    for depth in range(1, module.count(".") + 2):
        spec = importlib.machinery.PathFinder.find_spec(".".join(module.split(".")[:depth]), folders)
        if spec is None:
            return None
        folders = spec.submodule_search_locations
    return Path(spec.origin) if spec and spec.origin else None
