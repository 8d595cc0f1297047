"""The determinism oracle: a compiled program must give the same results again, bit for bit.

It compiles the program once more, and runs all sets of inputs twice, one after another. Such runs expose reads of
uninitialised memory, buffers with two uses, and races between threads. Most frameworks leave open the order in which
threads add, so results of floating-point sums may differ in their last places. Those are compared under their bounds.
"""

from __future__ import annotations

from string import Template

import numpy as np

from polyjuice.numerics import SAFETY, Analysis, distance
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import operators
from polyjuice.oracles.oracle import Comparison, Kind, Oracle

_RUNS = Template("""\
a = output($a)
for _ in range(20):
    b = output($a)
    if (gap(a, b) > allowed).any():
        break""")

NONDETERMINISTIC = Kind(
    name="nondeterministic",
    title="differs from run to run",
    by_chance=True,
    tries=3,
    at_output=True,
    compared=True,
    claim="Compiled, A gives different results from run to run.",
    predicate="gives different results from run to run",
    why="One compiled program on the same inputs, in one process, must give one result.",
)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first unstable output of each variant that ran."""
    return [v for t in case.ran if (v := _again(case, t, access))]


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Accept any output: chance decides which one reads stray memory."""
    return any(v.a == verdict.a for v in judge(case, access))


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
    return np.asarray((gap > 0) if analysis.reproducible else (gap > allowed))


def _verdict(t: Program, i: int, k: int, time: int, first: np.ndarray, other: np.ndarray, wrong: np.ndarray) -> Verdict:
    at = tuple(int(n) for n in np.argwhere(wrong)[0])
    message = (
        f"{t.result(k)} ({t.graph.output_types[k]}) of {t.label} differs from run to run at {int(wrong.sum())} of "
        f"{wrong.size} elements; at {list(at)} the first run gives {first[at]}, the {_ORDINALS[time]} {other[at]}"
    )
    signature = " ".join([ORACLE.name, t.graph.output_types[k].dtype, *operators(t.graph)])
    comparison = "bitwise" if t.analyses[i][k].reproducible else "bounded"
    allowed = np.where(wrong, 2 * SAFETY * t.analyses[i][k].bound, np.inf)
    return Verdict.against(
        t,
        oracle=ORACLE.name,
        kind=NONDETERMINISTIC.name,
        message=message,
        signature=signature,
        inputs=i,
        output=k,
        comparison=comparison,
        allowed=allowed,
    )


_ORDINALS = {2: "second", 3: "third"}


ORACLE = Oracle(
    name="determinism",
    help="a program does not give the same results again",
    kinds=(NONDETERMINISTIC,),
    judge=judge,
    recognises=_recognises,
    rank=7,
    advised=True,
    comparison=Comparison(_RUNS, other="again", gap=True),
)
