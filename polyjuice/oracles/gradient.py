"""The gradient oracle: equivalent training graphs, compiled, must have equal gradients.

It judges the gradients, by the floating inputs, of a weighted sum of the outputs. They have no error bounds. Instead,
the tolerance comes from the error of Torch's own uncompiled gradients against the same graph in float64. An element
counts only where the float64 gradients of both graphs agree and hardly change with the inputs. At a kink each side may
be right in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from polyjuice.execution import Artifact, Outcome
from polyjuice.frameworks.precision import in_float64
from polyjuice.ir import dtypes
from polyjuice.numerics import distance
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH, mismatch_signature
from polyjuice.oracles.oracle import Oracle, Predicates
from polyjuice.oracles.tolerance import TIMES, error, moved
from polyjuice.oracles.tolerance import tolerance as tolerance_of


@dataclass(frozen=True, kw_only=True)
class _Gradients:
    """One variant's gradients: compiled, uncompiled, and in float64 at the inputs and beside them."""

    program: Program
    compiled: Sequence[Sequence[np.ndarray]]
    plain: Sequence[Sequence[np.ndarray]]
    wide: Sequence[Sequence[np.ndarray]]
    beside: Sequence[Sequence[Sequence[np.ndarray]]]


def differentiated(artifact: Artifact) -> Artifact:
    """The program whose results are the gradients, by a setting that the Torch compilers understand."""
    return replace(artifact, setup={**artifact.setup, "mode": "grad", "gradients": True}, results=None)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first wrong gradient of each pair of variants that ran."""
    found = [g for t in case.ran if (g := _gradients(case, t, access))]
    return [v for a, b in combinations(found, 2) if (v := _pair(case, a, b))]


def _dtype(case: Case, verdict: Verdict) -> str:
    """The element type of the gradient that a verdict names: results are the gradients by the floating inputs."""
    types = [dtypes.dtype_of(x) for x in case.inputs[verdict.inputs]]
    return [dtype for dtype in types if dtypes.is_float(dtype)][verdict.output]


def _gradients(case: Case, t: Program, access: CompilerAccess) -> _Gradients | None:
    """The gradients of a program; None where it has none, uses coarse types, or Torch cannot differentiate it."""
    if any(type.dtype in dtypes.NARROW_FLOATS for type in t.graph.types.values()):
        return None  # the gradient by a value of a narrow type is itself rounded to that type
    outcome = access.execute(differentiated(t.artifact), case.inputs)
    if outcome.status != "ok" or not outcome.reference:
        return None
    wide = in_float64(t.artifact)
    if wide is None:
        return None
    sets = len(case.inputs)
    near = [moved(x, side) for side in (0.0, 1.0, -1.0) for x in case.inputs]
    reference: Outcome = access.execute(differentiated(wide), near, compile=False)
    if reference.reference is None:
        return None
    at, above, below = (reference.reference[n * sets : (n + 1) * sets] for n in range(3))
    return _Gradients(program=t, compiled=outcome.outputs, plain=outcome.reference, wide=at, beside=[above, below])


def _pair(case: Case, a: _Gradients, b: _Gradients) -> Verdict | None:
    floating = [n for n, x in enumerate(case.inputs[0]) if dtypes.is_float(dtypes.dtype_of(x))]
    for i in range(len(case.inputs)):
        for j, n in enumerate(floating):
            if verdict := _input(case, a, b, i, j, n):
                return verdict
    return None


def _input(case: Case, a: _Gradients, b: _Gradients, i: int, j: int, n: int) -> Verdict | None:
    """The verdict on the gradient by one input: the j-th floating one, the n-th of all."""
    left, right = a.compiled[i][j], b.compiled[i][j]
    dtype = dtypes.dtype_of(case.inputs[i][n])
    tolerance = max(tolerance_of(g.plain[i][j], g.wide[i][j], dtype) for g in (a, b))
    if not np.isfinite(tolerance):
        return None
    settled = distance(a.wide[i][j], b.wide[i][j]) <= tolerance / TIMES
    for g in (a, b):
        for beside in g.beside:
            settled &= distance(g.wide[i][j], beside[i][j]) <= tolerance
    wrong = settled & (distance(left, right) > 2 * tolerance)
    blamed = {g.program.label: wrong & _worse(g, i, j, tolerance) for g in (a, b)}
    if not any(mask.any() for mask in blamed.values()):
        return None
    culprit = max(blamed, key=lambda label: int(blamed[label].sum()))
    reference = a.wide[i][j]
    at = tuple(
        int(m) for m in np.unravel_index(int(np.argmax(np.where(wrong, distance(left, right), -1))), wrong.shape)
    )
    message = (
        f"the gradient with respect to input {n} differs at {int(wrong.sum())} of {wrong.size} elements; at {list(at)} "
        f"{a.program.label} gives {left[at]}, {b.program.label} gives {right[at]}, float64 {reference[at]:.9g}; "
        f"uncompiled, the largest error is {error(a.plain[i][j], a.wide[i][j]):.3g}"
    )
    signature = mismatch_signature(ORACLE.name, "bounded", dtype, a.program.graph, b.program.graph)
    allowed = np.where(wrong, 2 * tolerance, np.inf)
    return Verdict(
        oracle=ORACLE.name,
        kind=MISMATCH.name,
        a=a.program.label,
        b=b.program.label,
        message=message,
        signature=signature,
        inputs=i,
        output=j,
        culprit=culprit,
        comparison="bounded",
        allowed=allowed,
    )


def _worse(g: _Gradients, i: int, j: int, tolerance: float) -> np.ndarray:
    error = distance(g.compiled[i][j], g.wide[i][j])
    return np.asarray((error > tolerance) & (error > distance(g.plain[i][j], g.wide[i][j])))


ORACLE = Oracle(
    name="gradient",
    help="gradients of equivalent programs differ",
    kinds=(MISMATCH,),
    judge=judge,
    program=differentiated,
    dtype=_dtype,
    least=2,
    formats=("torch",),
    of_outputs=False,
    rank=8,
    claim="A and B have the same gradients. Compiled, they do not.",
    predicates=Predicates(
        undecided="has different gradients than an equivalent program",
        first="has wrong gradients",
        other="has wrong gradients",
    ),
    tolerance="many times the error of uncompiled gradients",
)
