"""Faults that show in a pack alone: in programs that are right by themselves, and wrong, or fail, beside others.

Such a fault is in what a compiler does to a whole program: how it plans memory, in which order it schedules kernels,
what it fuses. The pack is then one program like any other. Programs are left out of it as long as the fault shows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from polyjuice import pipeline
from polyjuice.execution.broken import BrokenProgram
from polyjuice.oracles import ORACLES, Case, Verdict
from polyjuice.packs import Member, Pack
from polyjuice.session import CompilerSession
from polyjuice.triage.ddmin import ddmin

_LEAVING_OUT_S = 45.0
"""For how long programs are left out of a pack; what is left then is for triage to reduce."""


def fault(pack: Pack, session: CompilerSession, oracles: Sequence[str]) -> tuple[Case, Verdict] | None:
    """A small part of a pack that shows what the pack shows, with the verdict on it; None where it shows nothing.

    ``oracles`` are those of the campaign; the ones that compare variants see nothing in a pack. Raises BrokenProgram
    where the pack is not the programs that it was made of.
    """
    alone = [name for name in oracles if ORACLES[name].least == 1]
    with session.fresh() as fresh:
        whole = _shown(pack, fresh, alone)
        if whole is None:
            return None
        small, shown, verdict = pack, whole, whole[1]
        end = time.monotonic() + _LEAVING_OUT_S

        def shows(members: Sequence[Member]) -> bool:
            nonlocal shown, small
            part = Pack(tuple(members))
            if time.monotonic() > end or len(part) == 1:
                return False
            found = _shown(part, fresh, alone)
            if found is None or not _same(verdict, pack, found[1], part):
                return False
            shown, small = found, part
            return True

        ddmin(pack.members, shows)
        _check(small, shown[0], fresh)
    return shown


def _shown(pack: Pack, session: CompilerSession, oracles: Sequence[str]) -> tuple[Case, Verdict] | None:
    """The pack as a case that has run, and the first verdict on it, if there is one."""
    case = pipeline.rerun(pack.case, session)
    verdicts = pipeline.judge(case, session, oracles)
    return (case, verdicts[0]) if verdicts else None


def _same(verdict: Verdict, pack: Pack, other: Verdict, part: Pack) -> bool:
    """Whether a part of a pack shows the same: the same failure, or something wrong with the same program."""
    if (other.oracle, other.kind) != (verdict.oracle, verdict.kind):
        return False
    if verdict.kind == "alias" and other.rung != verdict.rung:
        return False
    if verdict.kind not in ("mismatch", "alias"):
        return other.signature == verdict.signature
    return part.member_of(other.output) is pack.member_of(verdict.output)


def _check(pack: Pack, case: Case, session: CompilerSession) -> None:
    """Uncompiled, a pack must give bit for bit what its programs give alone: otherwise the fault is ours.

    Those are held against the interpreter, like any program.
    """
    (program,) = case.programs
    if program.outcome.reference is None:
        return
    for member, outcome in zip(pack.members, pack.outcomes(program.outcome), strict=True):
        alone = session.execute(member.program.artifact, member.case.inputs, compile=False)
        assert outcome.reference is not None
        given = [[y.tobytes() for y in outputs] for outputs in outcome.reference]
        if alone.reference is not None and given != [[y.tobytes() for y in outputs] for outputs in alone.reference]:
            raise BrokenProgram(f"a pack gives other results uncompiled than its programs\n{program.artifact.source!s}")
