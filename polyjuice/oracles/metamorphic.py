"""The metamorphic oracle: equivalent graphs, compiled by the same compiler, must give equal results (PolyJuice)."""

from __future__ import annotations

from itertools import combinations

from polyjuice.oracles import differential
from polyjuice.oracles.case import Case, CompilerAccess, Verdict
from polyjuice.oracles.comparison import MISMATCH, compare
from polyjuice.oracles.oracle import Oracle, Predicates


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first difference of each pair of variants that ran."""
    verdicts = (compare(ORACLE.name, case, a, b, access) for a, b in combinations(case.ran, 2))
    return [v for v in verdicts if v]


ORACLE = Oracle(
    name="metamorphic",
    help="equivalent programs differ",
    kinds=(MISMATCH,),
    judge=judge,
    least=2,
    alone=differential.ORACLE,
    of_case=True,
    usual=True,
    rank=1,
    in_suite=True,
    claim="A and B compute the same. Compiled, they do not.",
    predicates=Predicates(undecided="gives different values than an equivalent program"),
)
