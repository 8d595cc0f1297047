"""The optlevel oracle: a program must mean the same at every optimization level of its compiler."""

from __future__ import annotations

from polyjuice.oracles.case import Case, CompilerAccess, Verdict
from polyjuice.oracles.changed import RUNS, differing
from polyjuice.oracles.comparison import MISMATCH
from polyjuice.oracles.failures import FAILURES
from polyjuice.oracles.oracle import Comparison, Oracle, Predicates


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first difference of each variant between the default level and each other level, or its failure there."""
    levels = access.compiler.levels[:-1]
    return [v for t in case.ran for level in levels if (v := differing(ORACLE.name, case, t, level, access))]


ORACLE = Oracle(
    name="optlevel",
    help="a program changes with the optimization level",
    kinds=(MISMATCH, *FAILURES),
    judge=judge,
    compares_levels=True,
    rank=6,
    advised=True,
    claim="A gives other results at another optimization level.",
    predicates=Predicates(
        undecided="gives different values at {level} than at the default level",
        first="gives wrong values at the default level, but not at {level}",
        other="gives wrong values at {level}, but not at the default level",
    ),
    why="An optimization level must not change results beyond rounding: this is beyond the error bounds.",
    comparison=Comparison(RUNS, other="{level}"),
)
