"""The differential oracle: a compiled program must give what float64 says, within its error bounds.

This is what testers without equivalent programs do (NNSmith, paper 001, section 4), but for the bounds. It also sees
faults that all variants share. Of a program as its owner wrote it, it judges what depends on operators that the table
lacks by the program's own uncompiled run (see :mod:`polyjuice.oracles.uncompiled`).
"""

from __future__ import annotations

import numpy as np

from polyjuice.numerics import SAFETY, describe
from polyjuice.oracles import uncompiled
from polyjuice.oracles.case import MISTYPED, Case, CompilerAccess, Oracle, Program, Verdict
from polyjuice.oracles.comparison import judged, misshapen, operators, places


class Differential(Oracle):
    """At most one verdict for each variant that ran: the first output that is off."""

    name = "differential"

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        first = (
            next((v for i, k in places(case, t) if (v := self._output(case, t, i, k, access))), None) for t in case.ran
        )
        found = (v or uncompiled.judge(self.name, case, t, access) for t, v in zip(case.ran, first, strict=True))
        return [v for v in found if v]

    def triggers(self, verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
        """The same output is off, be it the first or not: what an input holds in the end may be returned as well."""
        if super().triggers(verdict, case, access):
            return True
        sides = [t for t in case.ran if t.label == verdict.a and verdict.output < len(t.graph.outputs)]
        sets = range(len(case.inputs))
        found = (self._output(case, t, i, verdict.output, access) for t in sides for i in sets)
        return any(again is not None and again.same_fault(verdict) for again in found)

    def _output(self, case: Case, t: Program, i: int, k: int, access: CompilerAccess) -> Verdict | None:
        array, analysis = t.outcome.outputs[i][k], t.analyses[i][k]
        problem = misshapen(case, t, i, k, access)
        judgement = None if problem else judged(case, t, i, k, access)
        if judgement is not None and not judgement:
            return None
        rung = MISTYPED if problem else "exact" if analysis.exact else "bounded"
        signature = " ".join([self.name, "mismatch", rung, analysis.type.dtype, *operators(t.graph)])
        if judgement is None:
            return Verdict(self.name, "mismatch", t.label, "", problem, signature, i, k, t.label, rung)
        return Verdict(
            self.name,
            "mismatch",
            t.label,
            "",
            f"output {k} ({analysis.type}): {describe(t.label, array, analysis, judgement)}",
            signature,
            i,
            k,
            t.label,
            rung,
            allowed=np.where(judgement.wrong, SAFETY * analysis.bound, np.inf),
            expected=analysis.reference,
        )
