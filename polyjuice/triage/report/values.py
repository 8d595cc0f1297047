"""The elements in which a mismatch shows most."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyjuice.numerics import distance
from polyjuice.oracles import Case, Verdict
from polyjuice.oracles.zeros import ZEROS

#: How many elements a report shows.
_MOST = 5


def values(case: Case, verdict: Verdict) -> list[dict[str, Any]]:
    """Of each element: where it is, what every side gives for it, compiled and not, float64, and what is allowed.

    As texts. None where outputs were not compared, or not those of the case (gradients, other optimization levels).
    """
    if verdict.allowed is None or verdict.oracle not in ("metamorphic", "differential"):
        return []
    i, k = verdict.inputs, verdict.output
    sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
    compiled = {t.label: t.outcome.outputs[i][k] for t in sides}
    uncompiled = {t.label: t.outcome.reference[i][k] for t in sides if t.outcome.reference is not None}
    references = {t.label: t.analyses[i][k].reference for t in sides}
    reference = references.get(verdict.culprit, references[verdict.a])
    gap = distance(compiled[verdict.a], compiled[verdict.b] if verdict.b else reference)
    wrong = verdict.allowed == 0 if verdict.rung == ZEROS else gap > verdict.allowed
    order = np.argsort(np.where(wrong, -gap, 1.0), axis=None, kind="stable")[: min(_MOST, int(wrong.sum()))]
    found = []
    for at in (tuple(map(int, np.unravel_index(n, gap.shape))) for n in order):
        found.append(
            {
                "at": list(at),
                "compiled": {label: _text(array[at]) for label, array in compiled.items()},
                "uncompiled": {label: _text(array[at]) for label, array in uncompiled.items()},
                "float64": _text(reference[at]),
                "allowed": f"{verdict.allowed[at]:.3g}",
            }
        )
    return found


def _text(value: np.generic) -> str:
    return f"{value:.17g}" if value.dtype == np.float64 and value != np.rint(value) else str(value)
