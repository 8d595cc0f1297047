"""How two results of the same value are compared, which of them is blamed, and how that is said.

How equal is derived, not chosen. Where both programs are exact on the inputs, bit for bit. Elsewhere they may differ by
the sum of their error bounds; and a program is blamed only where it leaves its bound and lies farther from the float64
reference than the framework's own uncompiled run does (or, where there is none, our interpreter in the graph's types).
"""

from __future__ import annotations

import numpy as np

from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph
from polyjuice.numerics import SAFETY, distance
from polyjuice.oracles.case import Case, Tested, Verdict


def compare(oracle: str, case: Case, a: Tested, b: Tested) -> Verdict | None:
    """The first output, on the first set of inputs, at which two programs that ran differ."""
    for i in range(len(case.inputs)):
        for k in range(len(a.graph.outputs)):
            if verdict := _output(oracle, case, a, b, i, k):
                return verdict
    return None


def _output(oracle: str, case: Case, a: Tested, b: Tested, i: int, k: int) -> Verdict | None:
    left, right = a.outcome.outputs[i][k], b.outcome.outputs[i][k]
    if left.shape == right.shape == a.graph.output_types[k].shape and not distance(left, right).any():
        return None
    in_a, in_b = a.analyses[i][k], b.analyses[i][k]
    rung = "exact" if in_a.exact and in_b.exact else "bounded"
    signature = mismatch_signature(oracle, rung, in_a.type.dtype, a.graph, b.graph)
    for side, array in ((a, left), (b, right)):
        if array.shape != in_a.type.shape:
            message = f"output {k} of {side.label} has shape {array.shape}, not {in_a.type.shape}"
            return Verdict(oracle, "mismatch", a.label, b.label, message, signature, i, k, side.label, rung)
    allowed = SAFETY * (in_a.bound + in_b.bound)
    gap = distance(left, right)
    wrong = np.isfinite(allowed) & (gap > allowed)
    if not wrong.any():
        return None
    blamed = {t.label: wrong & worse(case, t, i, k) for t in (a, b)}
    if not any(mask.any() for mask in blamed.values()):
        return None
    culprit = max(blamed, key=lambda label: int(blamed[label].sum()))
    if blamed[a.label].sum() == blamed[b.label].sum():
        culprit = ""
    # An element counts in the reproducer only where one side is to blame for it.
    allowed = np.where(blamed[a.label] | blamed[b.label] | ~wrong, allowed, np.inf)
    at = tuple(int(n) for n in np.unravel_index(int(np.argmax(np.where(wrong, gap, -1))), gap.shape))
    message = (
        f"output {k} ({in_a.type}) differs at {int(wrong.sum())} of {gap.size} elements; at {list(at)} "
        f"{a.label} gives {left[at]}, {b.label} gives {right[at]}, float64 {in_a.reference[at]:.9g}"
        + ("" if rung == "exact" else f", a difference of {allowed[at]:.3g} would be allowed")
    )
    return Verdict(oracle, "mismatch", a.label, b.label, message, signature, i, k, culprit, rung, allowed)


def worse(case: Case, t: Tested, i: int, k: int) -> np.ndarray:
    """Where a program left its bound and is farther from the reference than the uncompiled run.

    Nowhere if that run, in the graph's own types, has no value: then there is no second opinion.
    """
    analysis = t.analyses[i][k]
    error = distance(t.outcome.outputs[i][k], analysis.reference)
    outside = error > (0.0 if analysis.exact else SAFETY * analysis.bound)
    if not outside.any():
        return np.asarray(outside)
    if t.outcome.reference is not None:
        plain = t.outcome.reference[i][k]
    else:
        try:
            plain = evaluate(t.graph, case.inputs[i])[k]
        except EvaluationError:
            return np.zeros_like(outside)
    return np.asarray(outside & (error > distance(plain, analysis.reference)))


def mismatch_signature(oracle: str, rung: str, dtype: str, a: Graph, b: Graph) -> str:
    """What mismatches with one cause are likely to share: the operators that just one of the programs has."""
    operators = sorted({n.qualified for n in a.nodes} ^ {n.qualified for n in b.nodes})
    return " ".join([oracle, "mismatch", rung, dtype, *operators])
