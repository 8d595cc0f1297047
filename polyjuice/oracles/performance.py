"""The performance oracle: of two equivalent graphs, the simpler one must not compile to the far slower program.

A single measurement scatters too much. The oracle compiles and times both programs in turns, and the simpler one must
take twice as long, or far more memory, each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from polyjuice.execution import Outcome
from polyjuice.oracles.case import Case, CompilerAccess, Oracle, Program, Verdict
from polyjuice.oracles.comparison import operators

#: The simpler program must take this many times as long, and this much longer. Smaller differences are call overhead.
SLOWER = 2.0
LONGER_S = 50e-6

#: The simpler program must take this many times as much memory, and this much more.
LARGER = 4.0
MORE_BYTES = 2**24

_ROUNDS = 5


class Performance(Oracle):
    """The performance oracle: at most one verdict for each pair of variants that ran and differ in size."""

    name = "performance"
    least = 2

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        """The pairs whose simpler variant is far slower, or takes far more memory."""
        first = {t.label: access.measure(t.artifact, case.inputs) for t in case.ran}
        pairs = [(a, b) for a, b in permutations(case.ran, 2) if len(a.graph) < len(b.graph)]
        return [v for a, b in pairs if (v := _pair(case, a, b, [(first[a.label], first[b.label])], access))]


def _pair(
    case: Case, simple: Program, other: Program, rounds: list[tuple[Outcome, Outcome]], access: CompilerAccess
) -> Verdict | None:
    """The verdict on which all rounds of measurements agree; the rounds end with the first that disagrees."""
    while slow := _slower(rounds) or _larger(rounds):
        if len(rounds) == _ROUNDS:
            break
        rounds.append((access.measure(simple.artifact, case.inputs), access.measure(other.artifact, case.inputs)))
    if not slow:
        return None
    message = (
        f"{simple.label} ({len(simple.graph)} operators) takes {slow} its equivalent {other.label} "
        f"({len(other.graph)} operators)"
    )
    kind = "slow" if _slower(rounds) else "memory"
    signature = " ".join([kind, *operators(simple.graph)])
    return Verdict(Performance.name, kind, simple.label, other.label, message, signature, culprit=simple.label)


def _slower(rounds: Sequence[tuple[Outcome, Outcome]]) -> str:
    if not all(a.times and b.times for a, b in rounds):
        return ""
    # Compare the slower program's quick runs with the other's slow runs: differences within the scatter do not count.
    worst = [(float(np.quantile(a.times, 0.25)), float(np.quantile(b.times, 0.75))) for a, b in rounds]
    if not all(a > SLOWER * b and a - b > LONGER_S for a, b in worst):
        return ""
    a, b = (float(np.median([np.median(o.times) for o in side])) for side in zip(*rounds, strict=True))
    return f"{1e6 * a:.0f} µs, {a / b:.1f} times as long as"


def _larger(rounds: Sequence[tuple[Outcome, Outcome]]) -> str:
    if not all(a.peak > LARGER * b.peak and a.peak - b.peak > MORE_BYTES for a, b in rounds):
        return ""
    a, b = (float(np.median([o.peak for o in side])) for side in zip(*rounds, strict=True))
    return f"{a / 2**20:.0f} MiB, {a / max(b, 1):.1f} times as much as"
