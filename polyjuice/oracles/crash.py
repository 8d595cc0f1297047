"""The crash oracle: a compiler must not fail on a program that its framework runs.

Failures are an exception from the compiler, the end of its process, running out of memory, and a timeout. A program
that the framework itself does not run is `unsupported`, which is no bug. A program that breaks a constraint on purpose
should raise an exception: for it only the other failures count (HirGen, section 3.3.1).
"""

from __future__ import annotations

from polyjuice.oracles.case import Case, CompilerAccess, Verdict
from polyjuice.oracles.failures import FAILURES, died, failed, failure_of, of_broken
from polyjuice.oracles.oracle import Oracle


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """Return a verdict for each program that failed; ``b`` is a variant that ran, if one did."""
    fine = next((t.label for t in case.ran), "")
    if case.broken:
        return [of_broken(failure_of(ORACLE.name, t), case.broken) for t in case.programs if died(t)]
    return [failure_of(ORACLE.name, t, fine) for t in case.programs if failed(t)]


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Whether the error is the same: a smaller program may well fail in another way."""
    again = (v for v in judge(case, access) if v.same_fault(verdict))
    return any(v.signature == verdict.signature for v in again)


ORACLE = Oracle(
    name="crash",
    help="the compiler fails",
    kinds=FAILURES,
    judge=judge,
    recognises=_recognises,
    judges_failures=True,
    usual=True,
    rank=2,
    in_suite=True,
)
