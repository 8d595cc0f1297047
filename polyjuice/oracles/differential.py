"""The differential oracle: a compiled program must agree with float64, within its error bounds.

Testers without equivalent programs do the same with fixed tolerances (NNSmith, section 4). This oracle also
sees faults that all variants share. A user's own program may have operators that the table lacks. The results that
depend on them are compared with the program's own uncompiled run (see :mod:`polyjuice.oracles.uncompiled`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from polyjuice.numerics import SAFETY, describe
from polyjuice.oracles import uncompiled
from polyjuice.oracles.case import MISTYPED, Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH, judged, misshapen, operators, places
from polyjuice.oracles.oracle import ALONE, Oracle


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first wrong output of each variant that ran."""
    first = (next((v for i, k in places(case, t) if (v := _output(case, t, i, k, access))), None) for t in case.ran)
    found = (v or uncompiled.judge(ORACLE.name, case, t, access) for t, v in zip(case.ran, first, strict=True))
    return [v for v in found if v]


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Accept the same output, first or not: a program may also return the final value of an updated input."""
    if ORACLE.repeats(verdict, case, access):
        return True
    sides = [t for t in case.ran if t.label == verdict.a and verdict.output < len(t.graph.outputs)]
    sets = range(len(case.inputs))
    found = (_output(case, t, i, verdict.output, access) for t in sides for i in sets)
    return any(again is not None and again.same_fault(verdict) for again in found)


def _output(case: Case, t: Program, i: int, k: int, access: CompilerAccess) -> Verdict | None:
    array = t.outcome.outputs[i][k]
    if t.analyses.rounded(i, k, array):  # nearly always: saves the analysis
        return None
    analysis = t.analyses[i][k]
    problem = misshapen(case, t, i, k, access)
    judgement = None if problem else judged(case, t, i, k, access)
    if judgement is not None and not judgement:
        return None
    comparison = MISTYPED if problem else "bitwise" if analysis.reproducible else "bounded"
    kind = MISMATCH.name
    signature = " ".join([ORACLE.name, kind, comparison, analysis.type.dtype, *operators(t.graph)])
    verdict = partial(
        Verdict.against,
        t,
        oracle=ORACLE.name,
        kind=kind,
        signature=signature,
        inputs=i,
        output=k,
        comparison=comparison,
    )
    if judgement is None:
        return verdict(message=problem)
    return verdict(
        message=f"{t.result(k)} ({analysis.type}): {describe(t.label, array, analysis, judgement)}",
        allowed=np.where(judgement.wrong, SAFETY * analysis.bound, np.inf),
        expected=analysis.reference,
    )


ORACLE = Oracle(
    name="differential",
    help="a compiled program differs from float64",
    kinds=(MISMATCH,),
    judge=judge,
    recognises=_recognises,
    traces_values=True,
    of_case=True,
    usual=True,
    rank=3,
    in_suite=True,
    claim="Compiled, A gives other results than in float64.",
    comparison=ALONE,
)
