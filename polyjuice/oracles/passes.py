"""The passes oracle: a program must mean the same without some passes of its compiler, and after others in any order.

HirGen compiles a program with and without optimizations, and after sequences of passes (HirGen, section 3.3.2). Each
case draws one change, at the campaign's level: a random subset of the parts that can be switched off, or a random
sequence of the passes that may run at any time. Only TVM has the latter. A verdict names the fewest of the drawn parts
or passes that show the fault.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from polyjuice.ddmin import ddmin
from polyjuice.execution import changes
from polyjuice.oracles import changed
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH
from polyjuice.oracles.failures import FAILURES, HANG
from polyjuice.oracles.oracle import Comparison, Oracle, Predicates

_SHARES = (0.05, 0.3, 0.7)
"""The shares of the parts that are switched off."""

_LONGEST = 12
"""The most passes of a sequence."""


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first difference of each variant from its run with the case's change, or its failure there."""
    if not case.ran:
        return []
    rng = random.Random(f"passes {case.seed} {case.index}")
    written: Callable[[Sequence[str]], str] = changes.without
    if access.anytime and rng.random() < 0.5:
        written, names = changes.after, rng.choices(access.anytime, k=rng.randint(1, _LONGEST))
    else:
        share = rng.choice(_SHARES)
        names = [name for name in access.parts if rng.random() < share]
    return [verdict for t in case.ran if names and (verdict := _fewest(case, t, written, names, access))]


def _fewest(
    case: Case, t: Program, written: Callable[[Sequence[str]], str], names: Sequence[str], access: CompilerAccess
) -> Verdict | None:
    """The verdict on a program's change by the fewest of these names that show the same kind of fault."""

    def by(some: Sequence[str]) -> Verdict | None:
        return changed.differing(ORACLE.name, case, t, written(some), access)

    first = by(names)
    if first is None or first.kind == HANG.name or len(names) == 1:
        return first
    kind = first.kind
    fewest = ddmin(names, lambda some: (again := by(some)) is not None and again.kind == kind)
    return by(fewest) or first


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Make the verdict's own change: other operators in a smaller program would draw the same, but not its fewest."""
    sides = [t for t in case.ran if t.label == verdict.a]
    found = (changed.differing(ORACLE.name, case, t, verdict.level, access) for t in sides)
    return any(again is not None and again.same_fault(verdict) for again in found)


ORACLE = Oracle(
    name="passes",
    help="a program changes without some passes, or after others",
    kinds=(MISMATCH, *FAILURES),
    judge=judge,
    recognises=_recognises,
    switches_parts=True,
    rank=11,
    advised=True,
    claim="A gives other results with other passes.",
    predicates=Predicates(
        undecided="gives different values {level}",
        first="gives wrong values, but not {level}",
        other="gives wrong values {level}",
    ),
    why="Which passes run must not change results beyond rounding: this is beyond the error bounds.",
    comparison=Comparison(changed.RUNS, other="{level}"),
)
