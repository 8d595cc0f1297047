"""Oracles: each judges the executed variants of one seed graph.

Each has a file here, or in a package that declares it by the entry-point group ``polyjuice.oracles``. The file holds an
:class:`polyjuice.oracles.oracle.Oracle` under the name ``ORACLE``, with everything that other parts of Polyjuice need
to know of it.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

from polyjuice import plugins
from polyjuice.compilers import CompilerInfo, EnvironmentProblem
from polyjuice.oracles.case import Case, CompilerAccess, InputSet, Program, Verdict
from polyjuice.oracles.oracle import Comparison, Ending, Kind, Oracle, Predicates, Sides, ending


def _own() -> list[Oracle]:
    files = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")
    modules = (importlib.import_module(f"{__name__}.{name}") for name in files)
    return sorted((module.ORACLE for module in modules if hasattr(module, "ORACLE")), key=lambda oracle: oracle.rank)


ORACLES: Mapping[str, Oracle] = {oracle.name: oracle for oracle in _own()}
"""The oracles of Polyjuice itself, by name. `find` knows those of other packages, too."""

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in sorted((kind for oracle in ORACLES.values() for kind in oracle.kinds), key=lambda kind: kind.failure)
}
"""The kinds of verdicts of Polyjuice itself, by name. Silent kinds come first. `kind_of` knows all."""

USUAL_ORACLES = tuple(oracle.name for oracle in ORACLES.values() if oracle.usual and oracle.formats is None)
"""The oracles that judge any compiler by default."""

FAILURE_ORACLES = tuple(oracle.name for oracle in ORACLES.values() if oracle.judges_failures and oracle.usual)
"""The oracles that judge by default how programs fail."""


def usual_oracles(compiler: CompilerInfo) -> tuple[str, ...]:
    """The oracles that judge a compiler by default."""
    return tuple(oracle.name for oracle in ORACLES.values() if oracle.usual and not oracle.refusal(compiler))


def names() -> list[str]:
    """The names of all oracles, those of other packages last."""
    return [*ORACLES, *sorted(plugins.entries(plugins.ORACLES).keys() - ORACLES.keys())]


def find(name: str) -> Oracle:
    """The oracle of that name.

    Raises EnvironmentProblem where there is none, or where its package does not give one.
    """
    if name in ORACLES:
        return ORACLES[name]
    entries = plugins.entries(plugins.ORACLES)
    if name not in entries:
        raise EnvironmentProblem(f"no oracle is called {name!r}; there are {', '.join(names())}")
    return _loaded(entries[name])


def kind_of(name: str) -> Kind:
    """The kind of verdicts of that name. Raises EnvironmentProblem where no oracle here has it."""
    if name in KINDS:
        return KINDS[name]
    for entry in plugins.entries(plugins.ORACLES).values():
        if found := next((kind for kind in _loaded(entry).kinds if kind.name == name), None):
            return found
    raise EnvironmentProblem(f"no oracle here gives verdicts of the kind {name!r}: install the package that does")


def fault(case: Case, verdict: Verdict) -> tuple[object, ...]:
    """A key that two verdicts on one case share where they report one fault."""
    return verdict.kind, *kind_of(verdict.kind).key(case, verdict)


@cache
def _loaded(entry: EntryPoint) -> Oracle:
    """The oracle of another package. Raises EnvironmentProblem with the name of its module."""
    oracle = plugins.loaded(entry, "ORACLE")
    where = plugins.described(entry)
    if not isinstance(oracle, Oracle):
        raise EnvironmentProblem(f"{where}: ORACLE must be an object of polyjuice.oracles.Oracle")
    if oracle.name != entry.name:
        raise EnvironmentProblem(f"{where}: its entry point must have its name, {oracle.name!r}")
    if oracle.usual:
        raise EnvironmentProblem(f"{where}: only oracles of Polyjuice itself judge by default: leave out `usual`")
    for kind in oracle.kinds:
        if KINDS.get(kind.name, kind) is not kind:
            raise EnvironmentProblem(f"{where}: its kind {kind.name!r} is one of Polyjuice itself: choose another name")
    return oracle


__all__ = [
    "FAILURE_ORACLES",
    "KINDS",
    "ORACLES",
    "USUAL_ORACLES",
    "Case",
    "Comparison",
    "CompilerAccess",
    "Ending",
    "InputSet",
    "Kind",
    "Oracle",
    "Predicates",
    "Program",
    "Sides",
    "Verdict",
    "ending",
    "fault",
    "find",
    "kind_of",
    "names",
    "usual_oracles",
]
