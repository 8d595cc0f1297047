"""The location of a fault: the optimization levels that show it, and the part of the compiler that bisection names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyjuice.compilers import CompilerInfo, EnvironmentProblem, find
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles import kind_of
from polyjuice.triage.record import FindingRecord

#: A title names at most this many parts: a larger set says nothing about the cause.
_FEW = 2


def at_level(record: FindingRecord) -> str:
    """The lowest optimization level that shows the fault, as a phrase; "" where it is unknown or tells nothing."""
    if find_oracle(record.oracle).compares_levels and kind_of(record.kind).values:  # which is about two levels
        return ""
    found, known = _lowest(record), _levels(record.compiler)
    if not found or (known[-1:] == (found,) and not _level_names(record.compiler)):
        return ""
    return f" {'even ' if known[:1] == (found,) else ''}at {level_name(record.compiler, found)}"


def level_name(compiler: str, level: str) -> str:
    """The compiler's own name for a level."""
    return _level_names(compiler).get(level, f"level {level}" if level.isdecimal() else level)


def levels(record: FindingRecord, trial: str) -> list[str]:
    """The lower levels with this result in bisection: shown, gone or broken."""
    tried = record.bisection.get("levels") or {}
    return [level_name(record.compiler, name) for name, result in tried.items() if result == trial]


def parts(record: FindingRecord) -> Sequence[str]:
    """The parts of the compiler to blame; none where bisection named too many, or was not finished."""
    complete = record.bisection.get("complete", True)
    return record.blame if complete and len(record.blame) <= _FEW else ()


def is_isolated(record: FindingRecord) -> bool | None:
    """Whether bisection named a part; None where it did not finish."""
    if not record.bisection.get("shown") or not record.bisection.get("complete", True):
        return None
    return bool(parts(record))


def _lowest(record: FindingRecord) -> str:
    tried = record.bisection.get("levels") or {}
    shown = [name for name, result in tried.items() if result == "shown"]
    if shown:
        return str(shown[0])
    default = next(reversed(_levels(record.compiler)), "") if tried else ""
    return str(record.level or record.conditions.get("level") or default)


def compiler_of(record: FindingRecord) -> CompilerInfo | None:
    """The description of a finding's compiler; None for a plugin that is not here."""
    return _info(record.compiler)


def _levels(compiler: str) -> tuple[str, ...]:
    info = _info(compiler)
    return info.levels if info else ()


def _level_names(compiler: str) -> Mapping[str, str]:
    info = _info(compiler)
    return info.level_names if info else {}


def _info(compiler: str) -> CompilerInfo | None:
    """The compiler's description; None for a plugin that is not here."""
    try:
        return find(compiler)
    except EnvironmentProblem:
        return None
