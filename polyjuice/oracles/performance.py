"""The performance oracle: of two equivalent graphs, the simpler one must not compile to the far slower program.

A single measurement scatters too much. The oracle compiles and times both programs in turns, and the simpler one must
take twice as long, or far more memory, each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from polyjuice.execution import Outcome
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import operators
from polyjuice.oracles.oracle import Kind, Oracle, ending

#: The simpler program must take this many times as long, and this much longer. Smaller differences are call overhead.
SLOWER = 2.0
LONGER_S = 50e-6

#: The simpler program must take this many times as much memory, and this much more.
LARGER = 4.0
MORE_BYTES = 2**24

_ROUNDS = 5


def _costly(name: str, title: str, claim: str, predicate: str, which: str, text: str) -> Kind:
    return Kind(
        name=name,
        title=title,
        costs=True,
        tries=2,
        claim=f"A and B compute the same, and A is simpler. Compiled, {claim}.",
        predicate=f"{predicate} than an equivalent program that computes more",
        why=f"The {which} has fewer operators, and both compute the same.",
        ending=ending(text),
    )


SLOW = _costly(
    "slow",
    "slow code",
    "A is far slower",
    "runs far slower",
    "slower program",
    '''\
def times(run):
    """Return the times of some runs, in seconds."""
    run()
    gc.collect()
    measured = []
    while len(measured) < 5 or (sum(measured) < 0.1 and len(measured) < 1000):
        begin = time.perf_counter()
        run()
        measured.append(time.perf_counter() - begin)
    return measured


a, b = $a, $b
ratios = []
for _ in range(5):
    slow, fast = np.quantile(times(a), 0.25), np.quantile(times(b), 0.75)
    print("A: %.0f us, B: %.0f us" % (1e6 * slow, 1e6 * fast))
    ratios.append(slow / fast)
print("A takes %.1f times as long" % np.median(ratios))
sys.exit(1 if min(ratios) > 2 else 0)''',
)

MEMORY = _costly(
    "memory",
    "memory",
    "A takes far more memory",
    "takes far more memory",
    "program that takes more",
    '''\
def peak(run):
    """Return the bytes by which the resident set grows in a run (Linux)."""
    run()
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    run()
    return resident("VmHWM") - before


def resident(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name + ":"))


a, b = $a, $b
large, small = peak(a), peak(b)
print("A: %.1f MiB, B: %.1f MiB" % (large / 2**20, small / 2**20))
sys.exit(1 if large > 4 * small and large - small > 2**24 else 0)''',
)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The pairs of variants that ran whose simpler one is far slower, or takes far more memory."""
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
    kind = (SLOW if _slower(rounds) else MEMORY).name
    signature = " ".join([kind, *operators(simple.graph)])
    return Verdict(
        oracle=ORACLE.name,
        kind=kind,
        a=simple.label,
        b=other.label,
        message=message,
        signature=signature,
        culprit=simple.label,
    )


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


ORACLE = Oracle(
    name="performance",
    help="the simpler of two equivalent programs is far slower, or takes far more memory",
    kinds=(SLOW, MEMORY),
    judge=judge,
    least=2,
    rank=8,
)
