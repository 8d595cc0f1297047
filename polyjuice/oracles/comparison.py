"""Compare two results of the same value, name the culprit, and describe the difference.

The tolerance is derived, not chosen. Two programs that are exact on the inputs must agree bit for bit. All others may
differ by the sum of their error bounds. A program is a culprit only where its result leaves its own bound and lies
farther from the float64 reference than an uncompiled run. That run is the framework's own, if there is one. Otherwise
our interpreter evaluates the graph in its types. For the user's own ONNX model, ONNX's reference evaluator runs it,
because that does not rely on our reading of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph
from polyjuice.numerics import SAFETY, Judgement, describe, distance, judge, mistyped
from polyjuice.oracles.case import MISTYPED, Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.oracle import Kind


def _wrong_result(case: Case, verdict: Verdict) -> tuple[object, ...]:
    """The wrong result, which several variants may share; the place where the culprit is unknown or not in the case.

    A program under other conditions is not in the case.
    """
    at = verdict.inputs, verdict.output
    culprit = next((t.outcome for t in case.programs if t.label == verdict.culprit), None)
    if culprit is None or culprit.status != "ok":
        return verdict.culprit, *at
    wrong = culprit.outputs[verdict.inputs][verdict.output]
    return *at, wrong.dtype, wrong.shape, wrong.tobytes()


MISMATCH = Kind(name="mismatch", title="wrong result", values=True, at_output=True, key=_wrong_result)
"""Wrong values, or values of a wrong type: the kind of all oracles that compare results."""


def compare(oracle: str, case: Case, a: Program, b: Program, access: CompilerAccess) -> Verdict | None:
    """The verdict on the first output, on the first set of inputs, at which two programs that ran differ; or None."""
    return next((v for i, k in places(case, a) if (v := _output(oracle, case, a, b, i, k, access))), None)


def places(case: Case, t: Program) -> Iterator[tuple[int, int]]:
    """Every pair of a set of inputs and an output of a program, by their numbers."""
    return ((i, k) for i in range(len(case.inputs)) for k in range(len(t.graph.outputs)))


def _output(oracle: str, case: Case, a: Program, b: Program, i: int, k: int, access: CompilerAccess) -> Verdict | None:
    left, right = a.outcome.outputs[i][k], b.outcome.outputs[i][k]
    problems = [(side, problem) for side in (a, b) if (problem := misshapen(case, side, i, k, access))]
    if not problems and left.shape != right.shape:  # errors leave its size in doubt
        return None
    gap = None if problems else distance(left, right)
    if gap is not None and not gap.any():  # nearly always: saves the analyses
        return None
    in_a, in_b = a.analyses[i][k], b.analyses[i][k]
    if not problems and left.shape != in_a.type.shape:  # it depends on data: only the uncompiled run judges it
        return None
    comparison = MISTYPED if problems else "bitwise" if in_a.reproducible and in_b.reproducible else "bounded"
    signature = mismatch_signature(oracle, comparison, in_a.type.dtype, a.graph, b.graph)
    verdict = partial(
        Verdict,
        oracle=oracle,
        kind=MISMATCH.name,
        a=a.label,
        b=b.label,
        signature=signature,
        inputs=i,
        output=k,
        comparison=comparison,
    )
    if gap is None:
        side, problem = problems[0]
        return verdict(message=problem, culprit=side.label)
    allowed = SAFETY * (in_a.bound + in_b.bound)
    differs = np.isfinite(allowed) & (gap > allowed)
    if not differs.any():
        return None
    blamed = {t.label: judged(case, t, i, k, access, differs) for t in (a, b)}
    if not any(blamed.values()):
        return None
    # An element counts in the reproducer only where one side is to blame for it.
    allowed = np.where(blamed[a.label].wrong | blamed[b.label].wrong | ~differs, allowed, np.inf)
    counts = {label: int(judgement.wrong.sum()) for label, judgement in blamed.items()}
    culprit = max(counts, key=lambda label: counts[label]) if len({*counts.values()}) > 1 else ""
    shown = culprit or a.label
    side, other = (a, b) if shown == a.label else (b, a)
    at = blamed[shown].worst
    message = (
        f"{a.result(k)} ({in_a.type}) differs: "
        + describe(shown, side.outcome.outputs[i][k], side.analyses[i][k], blamed[shown])
        + f"; {other.label} gives {other.outcome.outputs[i][k][at]}"
    )
    return verdict(message=message, culprit=culprit, allowed=allowed)


def misshapen(case: Case, t: Program, i: int, k: int, access: CompilerAccess) -> str:
    """How the type of a result differs from the type that its program declares and the uncompiled run has; or ""."""
    type = t.result_type(i, k)
    problem = mistyped(t.outcome.outputs[i][k], type)
    if not problem:
        return ""
    plain = uncompiled(case, t, i, k, access)
    if plain is not None and mistyped(plain, type) == problem:
        return ""
    return f"{t.result(k)} of {t.label} has {problem}"


def uncompiled(case: Case, t: Program, i: int, k: int, access: CompilerAccess) -> np.ndarray | None:
    """An output of the uncompiled run; None where that run fails."""
    if t.outcome.reference is not None:
        return t.outcome.reference[i][k]
    source = t.artifact.source
    runs = t.user_program or any(node.opaque for node in t.graph.nodes)
    if runs and isinstance(source, bytes) and (outputs := access.uncompiled(source, case.inputs[i])):
        return outputs[k]
    try:
        return evaluate(t.graph, case.inputs[i])[k]
    except EvaluationError:
        return None


def judged(
    case: Case, t: Program, i: int, k: int, access: CompilerAccess, among: np.ndarray | None = None
) -> Judgement:
    """The elements where a program left its bound and is farther from the reference than the uncompiled run.

    None count if the uncompiled run has no value, since there is no second opinion then. None count of a result whose
    shape depends on data. With ``among``, only the elements of that mask count.
    """
    array, analysis = t.outcome.outputs[i][k], t.analyses[i][k]
    if array.shape != analysis.type.shape:
        return Judgement(np.zeros(array.shape, bool), np.zeros(array.shape), np.zeros(array.shape))
    first = judge(array, analysis)
    if among is not None:
        first = Judgement(first.wrong & among, first.error, first.bound)
    if not first:
        return first
    plain = uncompiled(case, t, i, k, access)
    if plain is None or plain.shape != array.shape:
        return Judgement(np.zeros_like(first.wrong), first.error, first.bound)
    return Judgement(judge(array, analysis, plain).wrong & first.wrong, first.error, first.bound)


def mismatch_signature(oracle: str, comparison: str, dtype: str, a: Graph, b: Graph) -> str:
    """The signature of a mismatch, by which one cause is likely to show: the operators that only one program has."""
    return " ".join([oracle, MISMATCH.name, comparison, dtype, *sorted({*operators(a)} ^ {*operators(b)})])


def operators(graph: Graph) -> list[str]:
    """The operators of a graph, by name, as signatures list them."""
    return sorted({node.qualified for node in graph.nodes})
