"""The metamorphic oracle: equivalent graphs, compiled by the same compiler, must give equal results (paper 004).

How equal is derived, not chosen. Where both variants are exact on the inputs, bit for bit. Elsewhere they may differ by
the sum of their error bounds; and a variant is blamed only where it leaves its bound and lies farther from the float64
reference than the framework's own uncompiled run does (or, where there is none, our interpreter in the graph's types).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from polyjuice.interpret import evaluate
from polyjuice.numerics import SAFETY, Analysis, distance
from polyjuice.oracles.case import Case, Tested, Verdict


def judge(case: Case) -> list[Verdict]:
    """At most one verdict for each pair of variants that ran: the first output that differs."""
    ran = [t for t in case.tested if t.outcome.status == "ok"]
    verdicts = (_pair(case, a, b) for a, b in combinations(ran, 2))
    return [v for v in verdicts if v]


def _pair(case: Case, a: Tested, b: Tested) -> Verdict | None:
    for i in range(len(case.inputs)):
        for k in range(len(a.graph.outputs)):
            if verdict := _output(case, a, b, i, k):
                return verdict
    return None


def _output(case: Case, a: Tested, b: Tested, i: int, k: int) -> Verdict | None:
    left, right = a.outcome.outputs[i][k], b.outcome.outputs[i][k]
    if left.shape == right.shape == a.graph.output_types[k].shape and not distance(left, right).any():
        return None
    in_a, in_b = a.analyses[i][k], b.analyses[i][k]
    rung = "exact" if in_a.exact and in_b.exact else "bounded"
    for side, array in ((a, left), (b, right)):
        if array.shape != in_a.type.shape:
            return _verdict(
                a, b, i, k, rung, f"the result has shape {array.shape}, not {in_a.type.shape}", side.label, None
            )
    allowed = SAFETY * (in_a.bound + in_b.bound)
    gap = distance(left, right)
    wrong = np.isfinite(allowed) & (gap > allowed)
    if not wrong.any():
        return None
    blamed = {t.label: wrong & _is_worse(case, t, i, k, array) for t, array in ((a, left), (b, right))}
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
    return _verdict(a, b, i, k, rung, message, culprit, allowed)


def _is_worse(case: Case, t: Tested, i: int, k: int, array: np.ndarray) -> np.ndarray:
    """Where a variant left its bound and is farther from the reference than the uncompiled run."""
    analysis: Analysis = t.analyses[i][k]
    error = distance(array, analysis.reference)
    outside = error > (0.0 if analysis.exact else SAFETY * analysis.bound)
    if not outside.any():
        return outside
    if t.outcome.reference is not None:
        plain = t.outcome.reference[i][k]
    else:
        plain = evaluate(t.graph, case.inputs[i])[k]
    return outside & (error > distance(plain, analysis.reference))


def _verdict(
    a: Tested, b: Tested, i: int, k: int, rung: str, message: str, culprit: str, allowed: np.ndarray | None
) -> Verdict:
    types = a.graph.output_types[k]
    operators = sorted({n.qualified for n in a.graph.nodes} ^ {n.qualified for n in b.graph.nodes})
    signature = f"mismatch {rung} {types.dtype} {' '.join(operators)}"
    return Verdict("mismatch", a.label, b.label, message, signature, i, k, culprit, rung, allowed)
