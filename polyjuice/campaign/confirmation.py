"""Turn a case's verdicts into findings, without known bugs, duplicates, and verdicts that do not repeat.

Some faults only a pack shows: its programs are right alone, but wrong, or fail, with others. Such a fault comes from a
step that sees the whole program: memory planning, scheduling or fusion. The pack is then tested as one program.
Programs are left out of it as long as the fault still shows.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from polyjuice import pipeline
from polyjuice.campaign import schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.schedule import PACK_FAULT_S
from polyjuice.ddmin import ddmin
from polyjuice.execution.broken import BrokenProgram
from polyjuice.oracles import Case, Verdict, fault, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.packs import Member, Pack
from polyjuice.session import CompilerSession
from polyjuice.triage import FindingRecord, known_list, write_finding
from polyjuice.triage.bisection import accounting, may_act, tried
from polyjuice.triage.causes import fails, pattern
from polyjuice.triage.known_list import KnownBug


@dataclass(kw_only=True)
class Confirmed:
    """The confirmed findings of a case, the URLs of the known bugs that were met, and the verdicts that are no finding.

    ``flaky`` are verdicts that did not repeat, ``duplicates`` the signatures of duplicates. ``suspected`` has the
    messages of verdicts that still need confirming: then the case is postponed, and all other lists are empty.
    """

    findings: list[FindingRecord] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    flaky: list[Verdict] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    suspected: list[str] = field(default_factory=list)

    def __iadd__(self, other: Confirmed) -> Confirmed:
        self.findings += other.findings
        self.known += other.known
        self.flaky += other.flaky
        self.duplicates += other.duplicates
        return self


class Confirming:
    """Confirms the verdicts of one process of a campaign, and writes the findings into its folder."""

    def __init__(
        self, config: Config, out: Path, session: CompilerSession, reported: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        """``reported`` counts the campaign's findings so far by signature. Raises KnownError, OSError."""
        self._config = config
        self._out = out
        self._session = session
        self._bugs = known_list.KnownBugs(config.known)
        self._times_reported: Counter[str] = Counter(reported)
        """The number of findings with each signature."""
        self._met: dict[str, list[tuple[int, int]]] = {}
        """The wrong results met so far, by kin (see `_kin`): pairs of case index and verdict number."""
        self._bug_of: dict[str, KnownBug] = {}
        """The known bugs that wrong results turned out to be, by kin. On a slow compiler, one check stands for all."""
        self._shown: set[str] = set()
        """The URLs of the known bugs that this process has reported."""

    def confirm(self, case: Case, verdicts: Sequence[Verdict], name: str = "", *, may_wait: bool = False) -> Confirmed:
        """Keep the verdicts that repeat every time in fresh processes, and write them to disk as findings.

        ``name`` becomes part of their folders' names. With ``may_wait``, a case with verdicts that need fresh processes
        is postponed.
        """
        found = Confirmed()
        asked: list[tuple[Verdict, Path, KnownBug | None]] = []
        for number, verdict in enumerate(_distinct(case, verdicts)):
            bug = self._of_signature(verdict)
            met = self._bug_of.get(_kin(case, verdict))
            if bug and self._hides(bug):
                found.known.append(bug.url)
            elif met and may_act(met.blame, case.only([verdict.a, verdict.b]), self._knobs):
                found.known.append(met.url)
            elif self._is_reported(verdict) or self._is_one_of_many(case, verdict, number):
                found.duplicates.append(verdict.signature)
            else:
                folder = self._out / "raw" / f"{case.index:06d}-{name}{number}-{verdict.kind}"
                asked.append((verdict, folder, bug))
        if asked and may_wait:
            return Confirmed(suspected=[verdict.message for verdict, *_ in asked])
        waiting = {number: verdict for number, (verdict, *_) in enumerate(asked)}
        shown = pipeline.shown_again(case, waiting, self._session)
        bugs = {number: bug for number, again in shown.items() if (bug := self._of_part(again, waiting[number]))}
        if not self._session.compiler.fast:
            self._bug_of |= {_kin(case, waiting[number]): bug for number, bug in bugs.items()}
        left = {n: waiting[n] for n in shown if n not in bugs or not self._hides(bugs[n])}
        repeat = pipeline.repeating(case, left, self._session, done=1)
        for number, (verdict, folder, alike) in enumerate(asked):
            bug = bugs.get(number, alike)
            if bug and self._hides(bug):
                found.known.append(bug.url)
            elif self._is_reported(verdict):
                found.duplicates.append(verdict.signature)
            elif number in repeat:
                mark = bug.mark(self._session.version) if bug else {}
                written = write_finding(folder, self._session, case, verdict, from_scratch=False, **mark)
                found.findings.append(written)
                self._shown.add(mark.get("known", ""))
                self._times_reported[verdict.signature] += 1
            else:
                found.flaky.append(verdict)
        return found

    def in_packs(self, case: Case, packs: Sequence[Pack]) -> Confirmed:
        """Confirm faults that only packs show (see `CasePacks.suspected`)."""
        found = Confirmed()
        for number, pack in enumerate(packs):
            if shown := fault_of_pack(pack, self._session, self._config.oracles):
                found += self.confirm(shown[0], [shown[1]], f"pack-{number}-")
        return found

    def _hides(self, bug: KnownBug) -> bool:
        """Whether a known bug is only counted: with ``--show-known``, the first finding of a process is reported."""
        shows = self._config.show_known and bug.url not in self._shown
        return bug.is_in(self._session.version) and not shows

    def _is_reported(self, verdict: Verdict) -> bool:
        findings = self._times_reported[verdict.signature]
        return schedule.is_reported(findings, identified=verdict.alone, failure=fails(verdict.kind))

    def _is_one_of_many(self, case: Case, verdict: Verdict, number: int) -> bool:
        if self._session.compiler.fast or fails(verdict.kind):
            return False
        met = self._met.setdefault(_kin(case, verdict), [])
        if (case.index, number) not in met:  # a case that was postponed comes twice
            met.append((case.index, number))
        return schedule.is_one_of_many(met.index((case.index, number)) + 1)

    @property
    def _knobs(self) -> Sequence[str]:
        knobs: Sequence[str] = self._session.worker().info["knobs"]
        return knobs

    def _of_signature(self, verdict: Verdict) -> KnownBug | None:
        name, triaged = self._session.compiler.name, bool(self._config.triage_s)
        return known_list.find(self._bugs.now, name, self._session.version, verdict.signature, triaged=triaged)

    def _of_part(self, sides: Case, verdict: Verdict) -> KnownBug | None:
        """Return the known bug of a verdict: without the parts that the bug blames, the sides no longer show it."""
        if fails(verdict.kind):
            return None
        compiler, version = self._session.compiler, self._session.version
        wrong = [side for side in sides.programs if side.label == verdict.culprit] or sides.programs
        has = pattern([side.graph for side in wrong], [side.artifact for side in wrong])
        blamed = [
            bug
            for bug in self._bugs.now
            if bug.compiler == compiler.name and bug.is_to_blame_for(verdict.kind, has) and bug.is_in(version)
            if may_act(bug.blame, sides, self._knobs)
        ]
        number = accounting(
            [bug.blame for bug in blamed],
            lambda parts: tried(sides, verdict, self._session.conditions, compiler, parts),
        )
        return None if number is None else blamed[number]


def _kin(case: Case, verdict: Verdict) -> str:
    """Return what a root cause likely shares: the signature or, among writes, the operator of the wrong output."""
    graph = case.blamed(verdict).graph
    if not graph.updates:
        return verdict.signature
    wrong = graph.outputs[verdict.output] if verdict.output < len(graph.outputs) else ""
    maker = next((node.qualified for node in graph.nodes if wrong and wrong in node.outputs), "")
    return f"{verdict.kind} of {maker} beside writes"


def _distinct(case: Case, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Drop the verdicts that name a culprit and report the same fault as an earlier verdict."""
    distinct: list[Verdict] = []
    reported = set()
    for verdict in verdicts:
        key = fault(case, verdict)
        if not verdict.culprit or key not in reported:
            distinct.append(verdict)
        reported.add(key)
    return distinct


# --- faults that only a pack shows ------------------------------------------------------------------------------------


def fault_of_pack(pack: Pack, session: CompilerSession, oracles: Sequence[str]) -> tuple[Case, Verdict] | None:
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
    if kind.by_chance or not (kind.at_output and find_oracle(verdict.oracle).of_outputs):
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
