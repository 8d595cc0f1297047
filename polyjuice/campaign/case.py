"""One case, from its index to its result: the straight line of the project.

seed graph -> equivalent variants -> equivalence check -> artifacts -> outcomes -> verdicts -> confirmed findings
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path

from polyjuice import pipeline
from polyjuice.campaign.clock import ACTIVITIES, PROBE, Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.coverage import Tuple, covered
from polyjuice.campaign.factors import NOTHING_DUE
from polyjuice.campaign.kinds import GENERATING
from polyjuice.campaign.preparation import Preparation, Skip, Unsound
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Rule
from polyjuice.execution import broken
from polyjuice.inputs import GIVEN
from polyjuice.oracles import Case, Verdict
from polyjuice.session import CompilerSession
from polyjuice.support import Support
from polyjuice.triage import FindingRecord, known
from polyjuice.triage.confirming import confirmed

#: Of so many cases, one whose programs are compiled alone, so that what compiling them together hides is met.
_ALONE = 8

#: Further seed graphs that a case may try where one has no two different variants, or the framework cannot run it.
_ATTEMPTS = 5


@dataclass(frozen=True)
class CaseResult:
    """What became of a case: ``pairs`` tested, or why it was ``skipped``; what was found; where the time went.

    A pair is tested where each of its programs ran, or was found to fail.

    ``rules`` are those that fired in the e-graph of its graph. ``accepted`` is the broken constraint with which a
    program ran none the less (one program that breaks a constraint counts as a pair). ``covered`` is what programs had
    that ran, where something was due (see :mod:`polyjuice.campaign.coverage`). ``unsound`` and ``defect`` are
    faults of our own: a variant that is not equal to its seed graph, an internal error. ``known`` has the addresses of
    the known bugs that were met.
    """

    index: int
    pairs: int = 0
    skipped: str = ""
    findings: Sequence[FindingRecord] = ()
    known: Sequence[str] = ()
    flaky: Sequence[str] = ()
    unsound: Sequence[str] = ()
    rules: Sequence[str] = ()
    accepted: str = ""
    covered: Collection[Tuple] = ()
    defect: str = ""
    seconds: dict[str, float] = field(default_factory=dict)


class Runner:
    """Runs cases of one campaign, one after another, on a session of its own unless one is given."""

    def __init__(
        self, config: Config, out: Path, rules: Sequence[Rule], session: CompilerSession | None = None
    ) -> None:
        """Read the seeds. Raises FormatError, ValueError, EnvironmentProblem."""
        self._config = config
        self._out = out
        self._compiler: CompilerInfo = find(config.compiler)
        self._clock = Clock()
        self.session = session or CompilerSession(config.conditions, self._compiler)
        self._support = Support(self._compiler, self.session.worker(), config.opset)
        self._known = known.read(Path(config.known)) if config.known else ()
        self._preparation = Preparation(config, out, rules, self._compiler, self._support, self._clock)
        self._told: set[str] = set()
        """The signatures of the findings that say by themselves what is wrong (see `Verdict.alone`)."""
        self._ahead: dict[int, tuple[Case | Exception, dict[str, float]]] = {}
        """Cases prepared, and run as far as that went, before their turn, or what went wrong; and the time it took."""

    def close(self) -> None:
        self.session.close()

    def run_ahead(self, indices: Sequence[int]) -> None:
        """Compile and run the programs of cases that `run` is to run next, where that takes less time together."""
        if not together(self._config, self._compiler):
            return
        for index in indices:
            if index % _ALONE:
                self._clock.reset()
                before = self._seconds
                case_or_problem = self._prepared_or_problem(index)
                self._ahead[index] = case_or_problem, self._spent(before)
        ready = {index: case for index, (case, _) in self._ahead.items() if isinstance(case, Case)}
        before = self.session.seconds
        programs = [(program.artifact, case.inputs) for case in ready.values() for program in case.programs]
        outcomes = iter(self.session.execute_together(programs))
        now = {name: seconds / max(len(ready), 1) for name, seconds in self.session.seconds.items()}
        before = {name: seconds / max(len(ready), 1) for name, seconds in before.items()}
        for index, case in ready.items():
            spent = self._ahead[index][1]
            _add_worker_seconds(spent, now, before)
            ran = [replace(p, outcome=outcome) if (outcome := next(outcomes)) else p for p in case.programs]
            self._ahead[index] = replace(case, programs=ran), spent

    def _prepared_or_problem(self, index: int) -> Case | Exception:
        """The case, or what went wrong: `run` raises that when the case has its turn."""
        try:
            return self._preparation.case(index, 0)
        except Exception as problem:  # noqa: BLE001 - nothing is lost
            return problem

    def run(self, index: int) -> CaseResult:
        """Run one case. Raises EnvironmentProblem where the compiler cannot be used at all."""
        ahead = self._ahead.get(index)
        self._clock.reset()
        before = self._seconds
        try:
            result = self._judged(self.execute(index))
        except Skip as skip:
            result = CaseResult(index, skipped=str(skip))
        except Unsound as unsound:
            result = CaseResult(index, unsound=unsound.args)
        spent = self._spent(before)
        if ahead:
            spent = {activity: seconds + ahead[1][activity] for activity, seconds in spent.items()}
        return replace(result, seconds=spent)

    @property
    def _seconds(self) -> dict[str, float]:
        """The time that the clock does not count: that of the workers, and of asking what the compiler takes."""
        return {**self.session.seconds, PROBE: self._support.seconds}

    def _spent(self, before: dict[str, float]) -> dict[str, float]:
        """The time since the clock was reset, when ``_seconds`` were ``before``."""
        spent = dict(self._clock.seconds)
        _add_worker_seconds(spent, self._seconds, before)
        return spent

    def execute(self, index: int) -> Case:
        """Prepare a case, and compile and run its programs; those that the compiler does not support are left out.

        Raises Skip where none of the seed graphs that it may try can be tested, and Unsound.
        """
        attempts = _ATTEMPTS if self._preparation.generated else 1
        for attempt in range(attempts - 1):
            with suppress(Skip):
                return self._attempt(index, attempt)
        return self._attempt(index, attempts - 1)

    def _attempt(self, index: int, attempt: int) -> Case:
        case = self._executed(self._prepared(index, attempt))
        if _refused(case) and (own := _on_its_own_inputs(case)):  # others are not fit for it, perhaps
            case = self._executed(own)
        if case.broken:
            return case
        supported = [program for program in case.programs if program.outcome.status != "unsupported"]
        if not supported:
            raise Skip("unsupported: " + pipeline.first_line(case.programs[0].outcome))
        return replace(case, programs=supported)

    def _prepared(self, index: int, attempt: int) -> Case:
        """The case as it was prepared ahead, if it was. Raises what was raised then."""
        ahead = self._ahead.pop(index, None)
        if ahead is None:
            return self._preparation.case(index, attempt)
        case, _ = ahead
        if isinstance(case, Exception):
            raise case
        return case

    def _executed(self, case: Case) -> Case:
        """The case with what became of its programs.

        Raises Skip where one that we wrote of a graph is refused, and BrokenProgram where it is our own fault.
        """
        ours = not case.broken and not any(program.given for program in case.programs)
        case = pipeline.execute(case, self.session, all_or_none=ours)
        for program in case.programs:
            if not program.given and not case.broken:
                broken.check(program.artifact, program.outcome, self._version)
        refused = [program.outcome for program in case.programs if program.outcome.status == "unsupported"]
        if ours and refused:
            raise Skip("unsupported: " + pipeline.first_line(refused[0]))
        return case

    def _judged(self, case: Case) -> CaseResult:
        with self._clock.of("judge"):
            verdicts = self._judge(case)
        findings, met, flaky = self._confirm(case, _distinct(case, verdicts))
        judged = {t.label for t in case.ran} | {v.culprit for v in verdicts if v.culprit}
        pairs = 1 if case.broken else comb(len(judged), min(len(case.programs), 2))
        if not pairs and not verdicts:
            failed = next(program.outcome for program in case.programs if not program.ran)
            raise Skip("failed: " + pipeline.first_line(failed))
        accepted = case.broken if case.ran else ""
        due = self._preparation.due(case.index)
        return CaseResult(
            case.index,
            pairs,
            findings=findings,
            known=met,
            flaky=flaky,
            rules=case.rules,
            accepted=accepted,
            covered=covered(case.ran, due.distribution) if due != NOTHING_DUE else (),
        )

    def _judge(self, case: Case) -> list[Verdict]:
        """What the oracles say, in the order in which the user names them."""
        verdicts: list[Verdict] = []
        for name in self._config.oracles:
            before = sum(self.session.seconds.values())
            verdicts += pipeline.judge(case, self.session, [name])
            self._clock.deduct(sum(self.session.seconds.values()) - before)
        return verdicts

    def _confirm(self, case: Case, verdicts: Sequence[Verdict]) -> tuple[list[FindingRecord], list[str], list[str]]:
        """Keep the verdicts that repeat every time in a fresh process, and write them down; but no known bugs.

        Of those that are told by one operator alone, the first of each signature.

        The findings, the addresses of the known bugs, and what was flaky.
        """
        findings, met, flaky, asked = [], [], [], []
        with self._clock.of("other"):
            for number, verdict in enumerate(verdicts):
                bug = self._known_bug(verdict)
                if bug and bug.is_in(self._version):
                    met.append(bug.url)
                elif not self._is_told(verdict):
                    folder = self._out / "raw" / f"{case.index:06d}-{number}-{verdict.kind}"
                    asked.append((verdict, folder, bug.url if bug else ""))
            chosen, folders = [verdict for verdict, _, _ in asked], [folder for _, folder, _ in asked]
            with confirmed(case, chosen, folders, self.session) as drafts:
                for number, (verdict, _, regression) in enumerate(asked):
                    if self._is_told(verdict):
                        continue
                    if number not in drafts:
                        flaky.append(verdict.message)
                        continue
                    findings.append(drafts[number].finish(regression=regression))
                    self._told |= {verdict.signature} if verdict.alone else set()
        return findings, met, flaky

    def _is_told(self, verdict: Verdict) -> bool:
        """Whether an earlier finding tells the same by itself."""
        return verdict.alone and verdict.signature in self._told

    @property
    def _version(self) -> str:
        return self.session.versions[self._compiler.name]

    def _known_bug(self, verdict: Verdict) -> known.KnownBug | None:
        """The known bug that a verdict looks like, if there is one."""
        return known.find(self._known, self._compiler.name, self._version, verdict.signature) if self._known else None


def _distinct(case: Case, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts but those that say which side is wrong, and tell of a fault that an earlier one tells of."""
    distinct: list[Verdict] = []
    said = set()
    for verdict in verdicts:
        fault = case.fault(verdict)
        if not verdict.culprit or fault not in said:
            distinct.append(verdict)
        said.add(fault)
    return distinct


def together(config: Config, compiler: CompilerInfo) -> bool:
    """Whether the programs of several cases are compiled together: of generated graphs that nothing was done to."""
    ours = len(config.seeds) == 1 and config.seeds[0] in GENERATING and not config.disruptive
    return compiler.batches and config.device == "cpu" and ours and not config.plain


def _refused(case: Case) -> bool:
    """Whether the compiler, or its framework, does not take the program as its owner wrote it."""
    return any(program.given and program.outcome.status == "unsupported" for program in case.programs)


def _on_its_own_inputs(case: Case) -> Case | None:
    """The same programs on what their owner gave alone; None where that is nothing, or all that there is."""
    own = [one for one in case.sets if one.profile in GIVEN]
    if not own or len(case.sets) == 1:
        return None
    programs = [pipeline.prepare(p.label, p.graph, p.artifact, own, given=p.given) for p in case.programs]
    return replace(case, sets=own, programs=programs)


def _add_worker_seconds(spent: dict[str, float], now: dict[str, float], before: dict[str, float]) -> None:
    for activity, seconds in now.items():
        name = activity if activity in ACTIVITIES else "other"
        spent[name] += seconds - before.get(activity, 0.0)
