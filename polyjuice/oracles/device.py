"""The device oracle: what a program gives on the CPU, it must give on the campaign's device (HirGen, section 3.3.3).

A fault of the CPU is none for this oracle: a campaign on the CPU finds it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from polyjuice.execution import changes
from polyjuice.numerics import SAFETY
from polyjuice.oracles import changed
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH
from polyjuice.oracles.failures import FAILURES, failed, failure_of
from polyjuice.oracles.oracle import ALONE, Oracle

_CPU = changes.on("cpu")


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first wrong output of each variant that is right on the CPU, or its failure where it runs there."""
    found = [_failure(case, t, access) if failed(t) else _difference(case, t, access) for t in case.programs]
    return [verdict for verdict in found if verdict]


def _failure(case: Case, t: Program, access: CompilerAccess) -> Verdict | None:
    outcome = t.complete(access.execute(t.artifact, case.inputs, level=_CPU))
    return replace(failure_of(ORACLE.name, t, _CPU), b="") if outcome.status == "ok" else None


def _difference(case: Case, t: Program, access: CompilerAccess) -> Verdict | None:
    verdict = changed.differing(ORACLE.name, case, t, _CPU, access) if t.ran else None
    if verdict is None or verdict.culprit != t.label:
        return None
    if verdict.allowed is None:  # a result of another type
        return replace(verdict, level="")
    analysis = t.analyses[verdict.inputs][verdict.output]
    allowed = np.where(np.isfinite(verdict.allowed), SAFETY * analysis.bound, np.inf)
    return replace(verdict, level="", allowed=allowed, expected=analysis.reference)


ORACLE = Oracle(
    name="device",
    help="a program is wrong on the device, and right on the CPU",
    kinds=(MISMATCH, *FAILURES),
    judge=judge,
    compares_devices=True,
    rank=12,
    claim="On the device, A gives other results than in float64 and on the CPU.",
    comparison=ALONE,
)
