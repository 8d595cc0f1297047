"""The gradient oracle: the gradients of a compiled program must agree with float64.

It judges the gradients, by the floating inputs, of a weighted sum of the outputs. Each run of a Torch program in
training mode ``grad`` computes them. One user's program in a few is compiled once more in that mode.

Gradients have no error bounds. Instead, the tolerance comes from the error of Torch's own uncompiled gradients against
the same program in float64. An element counts only where the float64 gradient hardly changes with the inputs. At a
kink each side may be right in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from polyjuice.execution import Artifact, Gradients, Outcome
from polyjuice.frameworks.precision import in_float64
from polyjuice.ir import dtypes
from polyjuice.numerics import distance
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH, operators
from polyjuice.oracles.oracle import ALONE, Oracle, Predicates
from polyjuice.oracles.tolerance import error, least_tolerance, moved, tolerance

_EVERY = 8
"""A user's program is compiled once more, to be differentiated, in one case of this many, the first among them."""


def differentiated(artifact: Artifact) -> Artifact:
    """The program whose results are the gradients, for a reproducer."""
    return replace(artifact, setup={**artifact.setup, "mode": "grad", "gradients": True}, results=None)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first wrong gradient of each program that ran and has gradients."""
    turn = not case.index % _EVERY
    return [v for t in case.ran if (v := next(_verdicts(case, t, access, more=turn and t.user_program), None))]


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Accept any wrong gradient by the same input."""
    return any(v.same_fault(verdict) for t in case.ran for v in _verdicts(case, t, access, more=True))


def _dtype(case: Case, verdict: Verdict) -> str:
    """The element type of the gradient that a verdict names: results are the gradients by the floating inputs."""
    types = [dtypes.dtype_of(x) for x in case.inputs[verdict.inputs]]
    return [dtype for dtype in types if dtypes.is_float(dtype)][verdict.output]


def _verdicts(case: Case, t: Program, access: CompilerAccess, *, more: bool) -> Iterator[Verdict]:
    """The wrong gradients of a program. With ``more``, it is compiled again, to be differentiated, if it has none."""
    if any(type.dtype in dtypes.NARROW_FLOATS for type in t.graph.types.values()):
        return  # the gradient by a value of a narrow type is itself rounded to that type
    outcome, trained = t.outcome, replace(t.artifact, setup={**t.artifact.setup, "mode": "grad"})
    if more and t.artifact != trained:
        outcome = access.execute(trained, case.inputs)
    pairs = [*zip(outcome.gradients, outcome.reference_gradients, strict=False)]
    suspects = [(i, n) for i, (mine, plain) in enumerate(pairs) for n in mine if _is_suspect(mine, plain, n)]
    wide = in_float64(trained) if suspects else None
    if wide is None:
        return
    near = [moved(x, side) for side in (0.0, 1.0, -1.0) for x in case.inputs]
    exact: Outcome = access.execute(wide, near, compile=False)
    sets = len(case.inputs)
    if len(exact.reference_gradients) == len(near):
        at = [exact.reference_gradients[side * sets : (side + 1) * sets] for side in range(3)]
        yield from (v for i, n in suspects if (v := _verdict(t, *pairs[i], [x[i] for x in at], i, n)))


def _is_suspect(mine: Gradients, plain: Gradients, n: int) -> bool:
    """Whether a gradient may be wrong: it differs from the uncompiled one by more than the least tolerance."""
    if n not in plain or mine[n].shape != plain[n].shape:
        return False
    return bool((distance(mine[n], plain[n]) > least_tolerance(plain[n], dtypes.dtype_of(plain[n]))).any())


def _verdict(t: Program, mine: Gradients, plain: Gradients, wide: list[Gradients], i: int, n: int) -> Verdict | None:
    """The verdict on the gradient by the n-th input; ``wide`` are those in float64, at the inputs and beside them."""
    gradient, reference, dtype = mine[n], wide[0].get(n), dtypes.dtype_of(mine[n])
    if reference is None or reference.shape != gradient.shape:
        return None
    allowed = tolerance(plain[n], reference, dtype)
    off = distance(gradient, reference)
    wrong = (off > allowed) & (off > distance(plain[n], reference)) & bool(np.isfinite(allowed))
    for beside in wide[1:]:
        wrong &= distance(reference, beside[n]) <= allowed
    if not wrong.any():
        return None
    at = tuple(int(m) for m in np.unravel_index(int(np.argmax(np.where(wrong, off, -1))), wrong.shape))
    message = (
        f"{t.label}: the gradient with respect to input {n} is wrong at {int(wrong.sum())} of {wrong.size} elements; "
        f"at {list(at)} it is {gradient[at]}, in float64 {reference[at]:.9g}; "
        f"uncompiled, the largest error is {error(plain[n], reference):.3g}"
    )
    return Verdict.against(
        t,
        oracle=ORACLE.name,
        kind=MISMATCH.name,
        message=message,
        signature=" ".join([ORACLE.name, MISMATCH.name, dtype, *operators(t.graph)]),
        inputs=i,
        output=sorted(mine).index(n),
        comparison="bounded",
        allowed=np.where(wrong, allowed, np.inf),
        expected=reference,
    )


ORACLE = Oracle(
    name="gradient",
    help="the gradients of a compiled program differ from float64",
    kinds=(MISMATCH,),
    judge=judge,
    recognises=_recognises,
    program=differentiated,
    dtype=_dtype,
    formats=("torch",),
    needs="settings",
    of_outputs=False,
    usual=True,
    rank=9,
    claim="Compiled, A has other gradients than in float64.",
    predicates=Predicates(undecided="has wrong gradients", first="has wrong gradients", other="has wrong gradients"),
    why="They are further off than many times the error of uncompiled gradients.",
    tolerance="many times the error of uncompiled gradients",
    comparison=ALONE,
)
