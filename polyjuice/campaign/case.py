"""One case, from its index to its result: the straight line of the project.

seed graph -> equivalent variants -> equivalence check -> artifacts -> outcomes -> verdicts -> confirmed findings
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import comb
from pathlib import Path

from polyjuice.campaign.clock import ACTIVITIES, Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Preparation, Prepared, Skip, Unsound
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Rule
from polyjuice.execution import Outcome
from polyjuice.generate import STRATEGIES
from polyjuice.oracles import ORACLES, Case, Verdict
from polyjuice.session import CompilerSession
from polyjuice.support import Support
from polyjuice.triage import Circumstances, FindingRecord, known, repeats, write_finding

#: Of so many cases, one whose programs are compiled alone, so that what compiling them together hides is met.
_ALONE = 8

#: Further seed graphs that a case may try where one has no two different variants, or the framework cannot run it.
_ATTEMPTS = 5


@dataclass(frozen=True)
class CaseResult:
    """What became of a case: ``pairs`` tested, or why it was ``skipped``; what was found; where the time went.

    A pair is tested where each of its programs ran, or was found to fail.

    ``rules`` are those that fired in the e-graph of its graph. ``accepted`` is the broken constraint with which a
    program ran none the less (one program that breaks a constraint counts as a pair). ``unsound`` and ``defect`` are
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
    defect: str = ""
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class _Ahead:
    """A case whose programs were compiled and run together with those of others; None stands for one that must be
    executed alone. ``seconds`` is the case's share of what all that took.
    """

    prepared: Prepared
    outcomes: Sequence[Outcome | None]
    seconds: dict[str, float]


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
        support = Support(self._compiler, self.session.worker(), config.opset)
        self._known = known.read(Path(config.known)) if config.known else ()
        self._preparation = Preparation(config, out, rules, self._compiler, support, self._clock)
        self._ahead: dict[int, _Ahead] = {}

    def close(self) -> None:
        self.session.close()

    def run_ahead(self, indices: Sequence[int]) -> None:
        """Compile and run the programs of cases that `run` is to run next, where that takes less time together."""
        if not together(self._config, self._compiler):
            return
        prepared: dict[int, tuple[Prepared, dict[str, float]]] = {}
        for index in indices:
            self._clock.reset()
            with suppress(Exception):  # `run` meets it again
                if index % _ALONE:
                    prepared[index] = self._preparation.case(index, 0), dict(self._clock.seconds)
        before = self.session.seconds
        programs = [(artifact, case.inputs) for case, _ in prepared.values() for artifact in case.artifacts]
        outcomes = iter(self.session.execute_together(programs))
        now = {name: seconds / max(len(prepared), 1) for name, seconds in self.session.seconds.items()}
        before = {name: seconds / max(len(prepared), 1) for name, seconds in before.items()}
        for index, (case, spent) in prepared.items():
            _add_worker_seconds(spent, now, before)
            self._ahead[index] = _Ahead(case, [next(outcomes) for _ in case.artifacts], spent)

    def run(self, index: int) -> CaseResult:
        """Run one case. Raises EnvironmentProblem where the compiler cannot be used at all."""
        ahead = self._ahead.get(index)
        self._clock.reset()
        before = self.session.seconds
        try:
            prepared, case = self.execute(index)
            result = self._judged(index, prepared, case)
        except Skip as skip:
            result = CaseResult(index, skipped=str(skip))
        except Unsound as unsound:
            result = CaseResult(index, unsound=unsound.args)
        spent = dict(self._clock.seconds)
        _add_worker_seconds(spent, self.session.seconds, before)
        if ahead:
            spent = {activity: seconds + ahead.seconds[activity] for activity, seconds in spent.items()}
        return replace(result, seconds=spent)

    def execute(self, index: int) -> tuple[Prepared, Case]:
        """Prepare a case, and compile and run its variants.

        Raises Skip where none of the seed graphs that it may try can be tested, and Unsound.
        """
        attempts = _ATTEMPTS if self._preparation.generated else 1
        for attempt in range(attempts - 1):
            with suppress(Skip):
                return self._attempt(index, attempt)
        return self._attempt(index, attempts - 1)

    def _attempt(self, index: int, attempt: int) -> tuple[Prepared, Case]:
        ahead = self._ahead.pop(index, None)
        prepared = ahead.prepared if ahead else self._preparation.case(index, attempt)
        outcomes = self._outcomes(prepared, ahead.outcomes if ahead else ())
        if _refused(prepared, outcomes) and (own := prepared.on_its_own_inputs()):  # others are not fit for it, perhaps
            prepared, outcomes = own, self._outcomes(own)
        case = prepared.case(outcomes)
        if not case.tested:
            raise Skip("unsupported: " + _first_line(outcomes[0]))
        return prepared, case

    def _outcomes(self, prepared: Prepared, known: Sequence[Outcome | None] = ()) -> list[Outcome]:
        """What becomes of each program, where that is not ``known`` yet.

        Raises Skip where one that Polyjuice wrote of a generated graph is refused.
        """
        outcomes: list[Outcome] = []
        of_a_model = any(artifact.by_user for artifact in prepared.artifacts)
        for artifact, outcome in zip_longest(prepared.artifacts, known):
            execute = self.session.execute_given if artifact.by_user else self.session.execute
            outcomes.append(outcome or execute(artifact, prepared.inputs))
            if outcomes[-1].status == "unsupported" and not prepared.broken and not of_a_model:
                raise Skip("unsupported: " + _first_line(outcomes[-1]))
        return outcomes

    def _judged(self, index: int, prepared: Prepared, case: Case) -> CaseResult:
        with self._clock.of("judge"):
            verdicts = self._judge(case)
        findings, met, flaky = self._confirm(index, case, _distinct(case, verdicts), prepared.rules)
        judged = {t.label for t in case.ran} | {v.culprit for v in verdicts if v.culprit}
        pairs = 1 if case.broken else comb(len(judged), min(len(case.tested), 2))
        if not pairs and not verdicts:
            failed = next(t.outcome for t in case.tested if t.outcome.status != "ok")
            raise Skip("failed: " + _first_line(failed))
        accepted = case.broken if case.ran else ""
        return CaseResult(
            index, pairs, findings=findings, known=met, flaky=flaky, rules=prepared.rules, accepted=accepted
        )

    def _judge(self, case: Case) -> list[Verdict]:
        """What the oracles say, in the order in which the user names them."""
        verdicts: list[Verdict] = []
        for name in self._config.oracles:
            before = sum(self.session.seconds.values())
            verdicts += ORACLES[name].judge(case, self.session)
            self._clock.deduct(sum(self.session.seconds.values()) - before)
        return verdicts

    def _confirm(
        self, index: int, case: Case, verdicts: Sequence[Verdict], rules: Sequence[str]
    ) -> tuple[list[FindingRecord], list[str], list[str]]:
        """Keep the verdicts that repeat every time in a fresh process, and write them down; but no known bugs.

        The findings, the addresses of the known bugs, and what was flaky.
        """
        findings, met, flaky = [], [], []
        with self._clock.of("other"):
            for number, verdict in enumerate(verdicts):
                bug = self._known_bug(verdict)
                if bug and bug.is_in(self._version):
                    met.append(bug.url)
                elif repeats(case, verdict, self.session):
                    folder = self._out / "raw" / f"{index:06d}-{number}-{verdict.kind}"
                    how = self._circumstances(index, rules, bug.url if bug else "")
                    findings.append(write_finding(folder, how, case, verdict))
                else:
                    flaky.append(verdict.message)
        return findings, met, flaky

    @property
    def _version(self) -> str:
        return self.session.versions[self._compiler.name]

    def _known_bug(self, verdict: Verdict) -> known.KnownBug | None:
        """The known bug that a verdict looks like, if there is one."""
        return known.find(self._known, self._compiler.name, self._version, verdict.signature) if self._known else None

    def _circumstances(self, index: int, rules: Sequence[str], regression: str) -> Circumstances:
        config = self._config
        conditions = config.conditions
        return Circumstances(self._compiler, self.session.versions, conditions, config.seed, index, rules, regression)


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
    ours = len(config.seeds) == 1 and config.seeds[0] in STRATEGIES and not config.disruptive
    return compiler.batches and config.device == "cpu" and ours and not config.plain


def _refused(prepared: Prepared, outcomes: Sequence[Outcome]) -> bool:
    """Whether the compiler, or its framework, does not take the program as its owner wrote it."""
    return any(
        artifact.by_user and outcome.status == "unsupported"
        for artifact, outcome in zip(prepared.artifacts, outcomes, strict=True)
    )


def _first_line(outcome: Outcome) -> str:
    return (outcome.message.splitlines() or [outcome.status])[0][:200]


def _add_worker_seconds(spent: dict[str, float], now: dict[str, float], before: dict[str, float]) -> None:
    for activity, seconds in now.items():
        name = activity if activity in ACTIVITIES else "other"
        spent[name] += seconds - before.get(activity, 0.0)
