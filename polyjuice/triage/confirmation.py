"""What does not repeat is no finding: a verdict must show again in fresh processes."""

from __future__ import annotations

from dataclasses import replace

from polyjuice.execution import Outcome
from polyjuice.oracles import ORACLES, Case, Tested, Verdict
from polyjuice.session import CompilerSession

#: In how many fresh processes, one after another, a verdict must repeat to be a finding.
REPEATS = 3

#: What depends on chance.
_BY_CHANCE = {"nondeterministic": 3, "slow": 2, "memory": 2}


def tries(kind: str) -> int:
    """How often programs are run before a fault of that kind counts as gone."""
    return _BY_CHANCE.get(kind, 1)


def rerun(case: Case, session: CompilerSession) -> Case:
    """The case with the outcomes of its variants compiled and run once more."""

    def outcome(t: Tested) -> Outcome:
        execute = session.execute_given if t.artifact.by_user else session.execute
        return execute(t.artifact, case.inputs)

    return replace(case, tested=[replace(t, outcome=outcome(t)) for t in case.tested])


def repeats(case: Case, verdict: Verdict, session: CompilerSession) -> bool:
    """Whether a verdict shows every time, each time on a session like the given one that has seen nothing yet."""
    sides = replace(case, tested=[case.of(label) for label in (verdict.a, verdict.b) if label])
    for _ in range(REPEATS):
        with session.fresh() as fresh:
            if not ORACLES[verdict.oracle].triggers(verdict, rerun(sides, fresh), fresh):
                return False
    return True
