"""Oracles: each judges the executed variants of one seed graph. Each has a file here and is found by its name."""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.compilers import CompilerInfo
from polyjuice.oracles.alias import Alias
from polyjuice.oracles.case import Case, CompilerAccess, InputSet, Oracle, Program, Verdict
from polyjuice.oracles.crash import Crash
from polyjuice.oracles.determinism import Determinism
from polyjuice.oracles.differential import Differential
from polyjuice.oracles.gradient import Gradient
from polyjuice.oracles.metamorphic import Metamorphic
from polyjuice.oracles.optlevel import OptLevel
from polyjuice.oracles.performance import Performance

ORACLES: Mapping[str, Oracle] = {
    oracle.name: oracle
    for oracle in (
        *(Metamorphic(), Crash(), Differential(), Alias()),
        *(OptLevel(), Determinism(), Performance(), Gradient()),
    )
}
"""All oracles by name."""

USUAL_ORACLES = ("metamorphic", "crash", "differential")
"""The oracles that judge any compiler by default."""


def usual_oracles(compiler: CompilerInfo) -> tuple[str, ...]:
    """The oracles that judge a compiler by default."""
    return USUAL_ORACLES if ORACLES[Alias.name].refusal(compiler) else (*USUAL_ORACLES, Alias.name)


__all__ = [
    "ORACLES",
    "USUAL_ORACLES",
    "Case",
    "CompilerAccess",
    "InputSet",
    "Oracle",
    "Program",
    "Verdict",
    "usual_oracles",
]
