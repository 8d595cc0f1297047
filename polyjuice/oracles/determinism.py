"""The determinism oracle: a compiled program must give the same results again, bit for bit.

It compiles the program once more, and runs all sets of inputs twice, one after another. Such runs expose reads of
uninitialised memory, buffers with two uses, and races between threads. Most frameworks leave open the order in which
threads add, so results of floating-point sums may differ in their last places. Those are compared under their bounds.
"""

from __future__ import annotations

import numpy as np

from polyjuice.numerics import SAFETY, Analysis, distance
from polyjuice.oracles.case import Case, CompilerAccess, Oracle, Program, Verdict
from polyjuice.oracles.comparison import operators


class Determinism(Oracle):
    """The determinism oracle: at most one verdict for each variant, its first output that differs in a later run."""

    name = "determinism"

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        """The first unstable output of each variant that ran."""
        return [v for t in case.ran if (v := _again(case, t, access))]

    def triggers(self, verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
        """Accept any output: chance decides which one reads stray memory."""
        return any(v.a == verdict.a for v in self.judge(case, access))


def _again(case: Case, t: Program, access: CompilerAccess) -> Verdict | None:
    sets = len(case.inputs)
    outcome = t.complete(access.execute(t.artifact, [*case.inputs, *case.inputs]))
    if outcome.status != "ok":
        return None
    for i, first in enumerate(t.outcome.outputs):
        for k, array in enumerate(first):
            for time, other in enumerate((outcome.outputs[i][k], outcome.outputs[sets + i][k]), 2):
                wrong = _differs(array, other, t.analyses[i][k])
                if wrong.any():
                    return _verdict(t, i, k, time, array, other, wrong)
    return None


def _differs(first: np.ndarray, other: np.ndarray, analysis: Analysis) -> np.ndarray:
    gap = distance(first, other)
    allowed = np.where(np.isfinite(analysis.bound), 2 * SAFETY * analysis.bound, np.inf)
    return np.asarray((gap > 0) if analysis.exact else (gap > allowed))


def _verdict(t: Program, i: int, k: int, time: int, first: np.ndarray, other: np.ndarray, wrong: np.ndarray) -> Verdict:
    at = tuple(int(n) for n in np.argwhere(wrong)[0])
    message = (
        f"output {k} ({t.graph.output_types[k]}) of {t.label} differs from run to run at {int(wrong.sum())} of "
        f"{wrong.size} elements; at {list(at)} the first run gives {first[at]}, the {_ORDINALS[time]} {other[at]}"
    )
    signature = " ".join([Determinism.name, t.graph.output_types[k].dtype, *operators(t.graph)])
    rung = "exact" if t.analyses[i][k].exact else "bounded"
    allowed = np.where(wrong, 2 * SAFETY * t.analyses[i][k].bound, np.inf)
    return Verdict(Determinism.name, "nondeterministic", t.label, "", message, signature, i, k, t.label, rung, allowed)


_ORDINALS = {2: "second", 3: "third"}
