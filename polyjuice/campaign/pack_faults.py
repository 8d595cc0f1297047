"""Faults that only a pack shows: its programs are right alone, but wrong, or fail, beside others.

Such a fault comes from a step that sees the whole program: memory planning, scheduling or fusion. The pack is then
tested as one program. Programs are left out of it as long as the fault still shows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from polyjuice import pipeline
from polyjuice.campaign.schedule import PACK_FAULT_S
from polyjuice.execution.broken import BrokenProgram
from polyjuice.oracles import Case, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.packs import Member, Pack
from polyjuice.session import CompilerSession
from polyjuice.triage.ddmin import ddmin


def fault(pack: Pack, session: CompilerSession, oracles: Sequence[str]) -> tuple[Case, Verdict] | None:
    """Return a small part of a pack that shows the pack's fault, with the verdict; None if the pack shows none.

    ``oracles`` are the campaign's; those that compare variants are not used, since a pack has none. Raises
    BrokenProgram if the pack, uncompiled, gives other results than its programs.
    """
    alone = [name for name in oracles if find_oracle(name).least == 1]
    with session.fresh() as fresh:
        whole = _shown(pack, fresh, alone)
        if whole is None:
            return None
        small, shown, verdict = pack, whole, whole[1]
        end = time.monotonic() + PACK_FAULT_S

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
    """Run a pack as a case. Return the case and the first verdict on it; None without a verdict."""
    case = pipeline.rerun(pack.case, session)
    verdicts = pipeline.judge(case, session, oracles)
    return (case, verdicts[0]) if verdicts else None


def _same(verdict: Verdict, pack: Pack, other: Verdict, part: Pack) -> bool:
    """Whether a part of a pack shows the same fault: the same failure, or a wrong result of the same program."""
    if (other.oracle, other.kind) != (verdict.oracle, verdict.kind):
        return False
    kind = kind_of(verdict.kind)
    if kind.comparison_matters and other.comparison != verdict.comparison:
        return False
    if kind.by_chance or not kind.at_output:
        return other.signature == verdict.signature
    return part.member_of(other.output) is pack.member_of(verdict.output)


def _check(pack: Pack, case: Case, session: CompilerSession) -> None:
    """Raise BrokenProgram unless the uncompiled pack gives bit for bit the results of its programs alone."""
    (program,) = case.programs
    if program.outcome.reference is None:
        return
    for member, outcome in zip(pack.members, pack.outcomes(program.outcome), strict=True):
        alone = session.execute(member.program.artifact, member.case.inputs, compile=False)
        assert outcome.reference is not None
        results = [[y.tobytes() for y in outputs] for outputs in outcome.reference]
        if alone.reference is not None and results != [[y.tobytes() for y in outputs] for outputs in alone.reference]:
            raise BrokenProgram(f"a pack gives other results uncompiled than its programs\n{program.artifact.source!s}")
