"""Turn a case's verdicts into findings, without known bugs, duplicates, and verdicts that do not repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from polyjuice.campaign import pack_faults, schedule
from polyjuice.campaign.config import Config
from polyjuice.oracles import Case, Verdict, fault
from polyjuice.packs import CasePacks
from polyjuice.session import CompilerSession
from polyjuice.triage import FindingRecord, known_list
from polyjuice.triage.bisection import accounting, tried
from polyjuice.triage.causes import fails, pattern
from polyjuice.triage.finding import confirmed


@dataclass(kw_only=True)
class Confirmed:
    """The confirmed findings of a case, the URLs of the known bugs that were met, and the verdicts that are no finding.

    ``flaky`` are verdicts that did not repeat, ``duplicates`` the signatures of duplicates. With ``postponed``, the
    case has verdicts that still need confirming: ``suspected`` has their messages, and all other lists are empty.
    """

    findings: list[FindingRecord] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    flaky: list[Verdict] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    postponed: bool = False
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
        self._bugs = known_list.load_known_bugs(config.known)
        self._times_reported: Counter[str] = Counter(reported)
        """The number of findings with each signature."""
        self._met: dict[str, list[tuple[int, int]]] = {}
        """The wrong results met so far, by kin (see `_kin`): pairs of case index and verdict number."""

    def confirm(self, case: Case, verdicts: Sequence[Verdict], name: str = "", *, may_wait: bool = False) -> Confirmed:
        """Keep the verdicts that repeat every time in fresh processes, and write them to disk as findings.

        ``name`` becomes part of their folders' names. With ``may_wait``, a case with verdicts that need fresh processes
        is postponed.
        """
        found = Confirmed()
        asked: list[tuple[Verdict, Path, str]] = []
        for number, verdict in enumerate(_distinct(case, verdicts)):
            bug = self._of_signature(verdict)
            if bug and bug.is_in(self._session.version):
                found.known.append(bug.url)
            elif self._is_reported(verdict) or self._is_one_of_many(case, verdict, number):
                found.duplicates.append(verdict.signature)
            else:
                folder = self._out / "raw" / f"{case.index:06d}-{name}{number}-{verdict.kind}"
                asked.append((verdict, folder, bug.url if bug else ""))
        if asked and may_wait:
            return Confirmed(postponed=True, suspected=[verdict.message for verdict, *_ in asked])
        for one in list(asked):
            if bug := self._of_part(case, one[0]):
                found.known.append(bug.url)
                asked.remove(one)
        folders, untouched = [folder for _, folder, _ in asked], not self._config.triage_s
        with confirmed(case, [v for v, *_ in asked], folders, self._session, from_scratch=untouched) as drafts:
            for number, (verdict, _, regression) in enumerate(asked):
                if self._is_reported(verdict):
                    found.duplicates.append(verdict.signature)
                elif number in drafts:
                    found.findings.append(drafts[number].finish(regression=regression))
                    self._times_reported[verdict.signature] += 1
                else:
                    found.flaky.append(verdict)
        return found

    def in_packs(self, case: Case, packed: CasePacks, flaky: Sequence[Verdict]) -> Confirmed:
        """Confirm faults that only packs show: verdicts that programs do not repeat alone, and packs that fail."""
        suspected = [pack for v in flaky for label in (v.a, v.b) if (pack := packed.ran.get(label))]
        found = Confirmed()
        for number, pack in enumerate(dict.fromkeys([*suspected, *packed.failed])):
            if shown := pack_faults.fault(pack, self._session, self._config.oracles):
                found += self.confirm(shown[0], [shown[1]], f"pack-{number}-")
        return found

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

    def _of_signature(self, verdict: Verdict) -> known_list.KnownBug | None:
        name, triaged = self._session.compiler.name, bool(self._config.triage_s)
        return known_list.find(self._bugs, name, self._session.version, verdict.signature, triaged=triaged)

    def _of_part(self, case: Case, verdict: Verdict) -> known_list.KnownBug | None:
        if fails(verdict.kind):
            return None
        compiler, version = self._session.compiler, self._session.version
        sides = case.only([verdict.a, verdict.b])
        wrong = [side for side in sides.programs if side.label == verdict.culprit] or sides.programs
        has = pattern([side.graph for side in wrong], [side.artifact for side in wrong])
        blamed = [
            bug
            for bug in self._bugs
            if bug.compiler == compiler.name and bug.is_to_blame_for(verdict.kind, has) and bug.is_in(version)
        ]
        number = accounting(
            [bug.blame for bug in blamed],
            lambda parts: tried(sides, verdict, self._session.conditions, compiler, parts),
        )
        return None if number is None else blamed[number]


def _kin(case: Case, verdict: Verdict) -> str:
    """Return what a root cause likely shares: the signature or, among writes, the operator of the wrong output."""
    graph = case.of(verdict.culprit or verdict.a).graph
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
