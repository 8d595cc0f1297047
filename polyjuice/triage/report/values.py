"""What came of the programs, and what is due: the elements in which a mismatch shows most, and whole small results."""

from __future__ import annotations

from typing import Any

import numpy as np

from polyjuice.ir import dtypes
from polyjuice.numerics import distance
from polyjuice.oracles import Case, Verdict
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.report.expressions import MOST, elements

#: How many elements a report shows.
_MOST = 5

#: The oracles whose verdicts are about results that the case holds.
_OF_RESULTS = ("metamorphic", "differential")


def values(case: Case, verdict: Verdict) -> list[dict[str, Any]]:
    """Of each element: where it is, what every side gives for it, compiled and not, float64, and what is allowed.

    As texts. None where outputs were not compared, or not those of the case (gradients, other optimization levels).
    """
    if verdict.allowed is None or verdict.oracle not in _OF_RESULTS:
        return []
    i, k = verdict.inputs, verdict.output
    sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
    compiled = {t.label: t.outcome.outputs[i][k] for t in sides}
    uncompiled = {t.label: t.outcome.reference[i][k] for t in sides if t.outcome.reference is not None}
    references = {t.label: t.analyses[i][k].reference for t in sides}
    reference = verdict.expected
    if reference is None:
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


def result(case: Case, verdict: Verdict) -> dict[str, Any]:
    """The inputs, what the wrong program makes of them, and what is due, as far as arrays are small, as texts.

    ``got_type`` and ``due_type`` are pairs of an element type and a shape, where outputs were compared. ``wrong`` of
    ``elements`` are not as they should be.
    """
    inputs = case.inputs[verdict.inputs]
    names = case.of(verdict.a).graph.inputs
    said: dict[str, Any] = {"inputs": {name: _array(x) for name, x in zip(names, inputs, strict=True)}}
    if verdict.kind != "mismatch" or verdict.oracle not in _OF_RESULTS:
        return said
    i, k = verdict.inputs, verdict.output
    side = case.of(verdict.culprit or verdict.a)
    got = side.outcome.outputs[i][k]
    due = side.graph.output_types[k]
    said["got_type"] = [dtypes.of_array(got), list(got.shape)]
    said["due_type"] = [due.dtype, list(due.shape)]
    if verdict.allowed is None:
        return said
    reference = side.analyses[i][k].reference if verdict.expected is None else verdict.expected
    wrong = distance(got, reference) > verdict.allowed
    if verdict.rung == ZEROS:
        wrong = verdict.allowed == 0
    said |= {"wrong": int(wrong.sum()), "elements": int(got.size), "got": _array(got), "expected": _array(reference)}
    if side.outcome.reference is not None:
        said["uncompiled"] = _array(side.outcome.reference[i][k])
    return said


def _array(array: np.ndarray) -> str:
    """A small array as nested lists; else ""."""
    return elements(array) if array.size <= MOST else ""


def _text(value: np.generic) -> str:
    return f"{value:.17g}" if value.dtype == np.float64 and value != np.rint(value) else str(value)
