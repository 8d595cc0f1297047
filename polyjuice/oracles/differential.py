"""The differential oracle: a compiled program must give what float64 says, within its error bounds.

This is what testers without equivalent programs do (NNSmith, paper 001, section 4), but for the bounds. It also sees
faults that all variants share.
"""

from __future__ import annotations

import numpy as np

from polyjuice.numerics import SAFETY, distance
from polyjuice.oracles.case import Case, Lab, Oracle, Tested, Verdict
from polyjuice.oracles.comparison import worse


class Differential(Oracle):
    """At most one verdict for each variant that ran: the first output that is off."""

    name = "differential"

    def judge(self, case: Case, lab: Lab) -> list[Verdict]:
        return [v for t in case.ran if (v := _first(case, t))]


def _first(case: Case, t: Tested) -> Verdict | None:
    for i in range(len(case.inputs)):
        for k in range(len(t.graph.outputs)):
            if verdict := _output(case, t, i, k):
                return verdict
    return None


def _output(case: Case, t: Tested, i: int, k: int) -> Verdict | None:
    array, analysis = t.outcome.outputs[i][k], t.analyses[i][k]
    rung = "exact" if analysis.exact else "bounded"
    operators = sorted({node.qualified for node in t.graph.nodes})
    signature = " ".join([Differential.name, "mismatch", rung, analysis.type.dtype, *operators])
    if array.shape != analysis.type.shape:
        message = f"output {k} of {t.label} has shape {array.shape}, not {analysis.type.shape}"
        return Verdict(Differential.name, "mismatch", t.label, "", message, signature, i, k, t.label, rung)
    wrong = np.isfinite(analysis.bound) & worse(case, t, i, k)
    if not wrong.any():
        return None
    gap = distance(array, analysis.reference)
    at = tuple(int(n) for n in np.unravel_index(int(np.argmax(np.where(wrong, gap, -1))), gap.shape))
    message = (
        f"output {k} ({analysis.type}) of {t.label} is off at {int(wrong.sum())} of {gap.size} elements; at {list(at)} "
        f"it is {array[at]}, float64 {analysis.reference[at]:.9g}"
        + ("" if rung == "exact" else f", an error of {SAFETY * analysis.bound[at]:.3g} would be allowed")
    )
    allowed = np.where(wrong, SAFETY * analysis.bound, np.inf)
    return Verdict(
        Differential.name,
        "mismatch",
        t.label,
        "",
        message,
        signature,
        i,
        k,
        t.label,
        rung,
        allowed,
        analysis.reference,
    )
