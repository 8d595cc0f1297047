"""The actual and the expected results: the elements that differ most, and whole results if they are small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polyjuice.frameworks.expressions import MOST, elements
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, dtypes
from polyjuice.numerics import distance
from polyjuice.ops import entry
from polyjuice.oracles import Case, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.record import Element, FindingRecord

#: The most elements that a report shows.
_MOST = 5


def values(case: Case, verdict: Verdict) -> list[Element]:
    """The elements that differ most: index, each side's compiled and uncompiled value, float64, allowed error.

    All values are texts. Empty where outputs were not compared, or the verdict is about gradients or optimization
    levels.
    """
    if verdict.allowed is None or not find_oracle(verdict.oracle).of_case:
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
    wrong = verdict.allowed == 0 if verdict.comparison == ZEROS else gap > verdict.allowed
    order = np.argsort(np.where(wrong, -gap, 1.0), axis=None, kind="stable")[: min(_MOST, int(wrong.sum()))]
    found: list[Element] = []
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


def table_rows(record: FindingRecord) -> list[list[str]]:
    """The rows of a table of the elements that differ most."""
    return [
        [str(row["at"]), *row["compiled"].values(), *row["uncompiled"].values(), row["float64"], row["allowed"]]
        for row in record.values
    ]


def result(case: Case, verdict: Verdict) -> dict[str, Any]:
    """The inputs, the wrong program's result and the expected result, as texts, where the arrays are small.

    ``got_type`` and ``due_type`` are pairs of an element type and a shape, where outputs were compared. ``wrong`` is
    the number of wrong elements out of ``elements``. ``unique`` is a sentence if an index has only one right value.
    """
    inputs = case.inputs[verdict.inputs]
    names = case.of(verdict.a).graph.inputs
    content: dict[str, Any] = {"inputs": {name: _array(x) for name, x in zip(names, inputs, strict=True)}}
    if not kind_of(verdict.kind).values or not find_oracle(verdict.oracle).of_case:
        return content
    i, k = verdict.inputs, verdict.output
    side = case.blamed(verdict)
    got = side.outcome.outputs[i][k]
    due = side.result_type(i, k)
    content["got_type"] = [dtypes.dtype_of(got), list(got.shape)]
    content["due_type"] = [due.dtype, list(due.shape)]
    if verdict.allowed is None:
        return content
    reference = side.analyses[i][k].reference if verdict.expected is None else verdict.expected
    wrong = distance(got, reference) > verdict.allowed
    if verdict.comparison == ZEROS:
        wrong = verdict.allowed == 0
    content |= {"wrong": int(wrong.sum()), "elements": int(got.size), "got": _array(got), "expected": _array(reference)}
    content["unique"] = chosen_once(side.graph, inputs, k) if dtypes.is_int(due.dtype) else ""
    return content


def chosen_once(graph: Graph, inputs: Sequence[np.ndarray], output: int) -> str:
    """A sentence that only one index is right, if the output is the index of a unique extremum; else ""."""
    made = {name: node for node in graph.nodes for name in node.outputs}
    node = made.get(graph.outputs[output])
    op = entry(node) if node else None
    of_extremum = op is not None and op.ties == "first" and op.results[-1] == "int64"
    if not node or not of_extremum or node.outputs[-1] != graph.outputs[output]:
        return ""
    try:
        x, place = evaluate(replace(graph, outputs=(node.inputs[0], node.outputs[-1])), inputs, "float64")
    except EvaluationError:
        return ""
    axis = node.attrs.get("axis", node.attrs.get("dim"))
    along = x.reshape(-1) if axis is None else np.moveaxis(x, int(axis), -1)
    if along.shape[-1:] == (0,) or np.isnan(along).any():
        return ""
    chosen = np.take_along_axis(along, place.reshape(*along.shape[:-1], 1).astype(np.int64), -1)
    unique = bool(((along == chosen).sum(-1) == 1).all())
    name = "maximum" if (chosen >= along).all() else "minimum"
    return f"The {name} is unique: only one index is right." if unique else ""


def _array(array: np.ndarray) -> str:
    return elements(array) if array.size <= MOST else ""


def _text(value: np.generic) -> str:
    return f"{value:.17g}" if value.dtype == np.float64 and value != np.rint(value) else str(value)
