"""The metamorphic oracle: equivalent graphs, compiled by the same compiler, must give equal results (paper 004)."""

from __future__ import annotations

from itertools import combinations

from polyjuice.oracles.case import Case, CompilerAccess, Oracle, Verdict
from polyjuice.oracles.comparison import compare


class Metamorphic(Oracle):
    """The metamorphic oracle: at most one verdict for each pair of variants that ran, the first output that differs."""

    name = "metamorphic"
    least = 2
    alone = "differential"

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        """The first difference of each pair of variants that ran."""
        verdicts = (compare(self.name, case, a, b, access) for a, b in combinations(case.ran, 2))
        return [v for v in verdicts if v]
