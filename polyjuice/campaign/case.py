"""One case, from its index to its result: the straight line of the project.

seed graph -> equivalent variants -> equivalence check -> artifacts -> outcomes -> verdicts -> confirmed findings
"""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path

from polyjuice import packs, pipeline
from polyjuice.campaign.clock import ACTIVITIES, CONFIRM, PROBE, Clock, busy_s
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirmed, Confirming
from polyjuice.campaign.coverage import Tuple, covered
from polyjuice.campaign.factors import NOTHING_DUE
from polyjuice.campaign.preparation import Preparation, Skip, Unsound
from polyjuice.compilers import CompilerInfo, EnvironmentProblem, find
from polyjuice.egraph import Rule
from polyjuice.execution import Outcome, broken
from polyjuice.inputs import GIVEN
from polyjuice.oracles import Case, Verdict
from polyjuice.packs import CasePacks
from polyjuice.session import CompilerSession
from polyjuice.support import Support
from polyjuice.triage import FindingRecord

#: The share of the time for cases that confirming may take before further findings are postponed, on a slow compiler.
_CONFIRMING = 1 / 4

#: Further seed graphs that a case may try where one has no two different variants, or the framework cannot run it.
_ATTEMPTS = 5


@dataclass(frozen=True)
class CaseResult:
    """What became of a case: ``pairs`` tested, or why it was ``skipped``; what was found; where the time went.

    A pair is tested where each of its programs ran, or was found to fail; ``programs`` of them were judged.
    ``packs`` is how many packs ran of which the case's programs were the first.

    ``rules`` are those that fired in the e-graph of its graph. ``accepted`` is the broken constraint with which a
    program ran none the less (one program that breaks a constraint counts as a pair). ``covered`` is what programs had
    that ran, where something was due (see :mod:`polyjuice.campaign.coverage`). ``unsound`` and ``defect`` are
    faults of our own: a variant that is not equal to its seed graph, an internal error; ``false`` names the rules of
    the user's that are to blame for the former. ``known`` has the addresses of
    the known bugs that were met, ``again`` the signatures of what was found before often enough. ``sizes`` says what
    the symbolic sizes of its model were. What the case shows is still to be confirmed where cases are ``postponed``:
    these, with which it ran, must run once more for that.
    """

    index: int
    pairs: int = 0
    programs: int = field(default=0, kw_only=True)
    packs: int = field(default=0, kw_only=True)
    skipped: str = ""
    findings: Sequence[FindingRecord] = ()
    known: Sequence[str] = ()
    flaky: Sequence[str] = ()
    again: Sequence[str] = ()
    unsound: Sequence[str] = ()
    false: str = ""
    rules: Sequence[str] = ()
    accepted: str = ""
    covered: Collection[Tuple] = ()
    sizes: str = ""
    postponed: Sequence[int] = ()
    defect: str = ""
    seconds: dict[str, float] = field(default_factory=dict)


class _Turn:
    """A case on its way: the seed graphs that it has tried, what came of the last one, and the time of all."""

    def __init__(self, index: int, attempts: int) -> None:
        self.index = index
        self.case: Case | None = None
        self.problem: Exception | None = None
        self.packs = CasePacks()
        self.result: CaseResult | None = None
        self._attempts = attempts
        self._attempt = 0
        self._seconds = dict.fromkeys(ACTIVITIES, 0.0)

    def next_attempt(self) -> int:
        """The number of the seed graph to try, from 0."""
        self.problem = None
        self._attempt += 1
        return self._attempt - 1

    @property
    def may_try_another(self) -> bool:
        """Whether its graph could not be tested, and there are others."""
        return isinstance(self.problem, Skip) and self._attempt < self._attempts

    @property
    def whole(self) -> Case:
        """The case, which there must be."""
        assert self.case is not None
        return self.case

    def fail(self, problem: Exception) -> None:
        self.case, self.problem = None, problem

    def spend(self, seconds: Mapping[str, float]) -> None:
        for activity, spent in seconds.items():
            self._seconds[activity] += spent

    def told(self) -> CaseResult:
        """What became of the case; where a defect of ours came in between, with all that was found before it."""
        result = self.result or CaseResult(self.index)
        if isinstance(self.problem, Skip):
            result = replace(result, skipped=str(self.problem))
        elif isinstance(self.problem, Unsound):
            result = replace(result, unsound=self.problem.args, false=self.problem.false)
        elif self.problem:
            result = replace(result, defect="".join(traceback.format_exception(self.problem)))
        return replace(result, packs=self.packs.first, seconds=self._seconds)


class Runner:
    """Runs cases of one campaign, on a session of its own unless one is given."""

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
        self._preparation = Preparation(config, out, rules, self._compiler, self._support, self._clock)
        self.confirming = Confirming(config, out, self.session)
        self._attempts = _ATTEMPTS if self._preparation.generated else 1
        self._pack = config.pack_of(self._compiler)
        self._spent: Counter[str] = Counter()
        """Seconds by activity, of all cases so far."""

    def close(self) -> None:
        self.session.close()

    @property
    def probe_s(self) -> float:
        """The time that went to asking what the compiler takes."""
        return self._support.seconds_by_now

    def run(self, indices: Sequence[int], postponed: Collection[int] = ()) -> Iterator[CaseResult]:
        """Run some cases, whose programs are compiled in packs where that takes less time.

        On a slow compiler cases come first: where confirming has taken more than its share, what a case shows is
        postponed. Such a case is one of ``postponed`` in another call, with the same cases; it alone is told of then.

        Raises EnvironmentProblem where the compiler cannot be used at all.
        """
        if not postponed:
            for turn in self._execute(indices):
                yield self._finished(turn, indices, may_wait=self._confirms_much)
            return
        in_company: list[int] = []
        for turn in self._execute(sorted(postponed)):
            result = self._finished(turn, indices, may_wait=False)
            if _tells(result):
                yield result
            else:
                in_company.append(turn.index)
        for turn in self._execute(indices) if in_company else ():
            if turn.index in in_company:
                yield self._finished(turn, indices, may_wait=False)

    def _finished(self, turn: _Turn, indices: Sequence[int], *, may_wait: bool) -> CaseResult:
        """What became of a case that ran beside others; with ``may_wait`` what it shows can be postponed."""
        if turn.case:
            with self._timed(turn):
                turn.result, found = self._judged(turn.case, may_wait=may_wait)
                if found.postponed or (may_wait and turn.packs.failed):
                    turn.result = replace(turn.result, postponed=indices)
                else:
                    with self._clock.of(CONFIRM):
                        found += self.confirming.in_packs(turn.case, turn.packs, found.flaky)
                    turn.result = _with(turn.result, found)
        result = turn.told()
        self._spent.update(result.seconds)
        return result

    @property
    def _confirms_much(self) -> bool:
        """Whether confirming has taken more than its share of the time."""
        return not self._compiler.fast and self._spent[CONFIRM] > _CONFIRMING * busy_s(self._spent)

    def execute(self, index: int) -> Case:
        """Prepare a case, and compile and run its programs; those that the compiler does not support are left out.

        Raises Skip where none of the seed graphs that it may try can be tested, and Unsound.
        """
        (turn,) = self._execute([index])
        if turn.problem:
            raise turn.problem
        return turn.whole

    def _execute(self, indices: Sequence[int]) -> list[_Turn]:
        """Prepare some cases, and run their programs; each may try further seed graphs where one cannot be tested."""
        turns = waiting = [_Turn(index, self._attempts) for index in indices]
        while waiting:
            for turn in waiting:
                self._prepare(turn)
            ready = [turn for turn in waiting if turn.case]
            self._execute_packs(ready)
            for turn in ready:
                with self._timed(turn):
                    turn.case = self._executed(turn.whole)
            waiting = [turn for turn in ready if turn.may_try_another]
        return turns

    def _prepare(self, turn: _Turn) -> None:
        """Prepare the case with the next seed graph that it may try and that can be tested."""
        while True:
            with self._timed(turn):
                turn.case = self._preparation.case(turn.index, turn.next_attempt())
            if not turn.may_try_another:
                return

    def _execute_packs(self, turns: Sequence[_Turn]) -> None:
        """Run the programs of cases, as many as run in packs."""
        if self._pack == 1 or not turns:
            return
        began, before = time.perf_counter(), self.session.seconds
        packed = packs.execute([turn.whole for turn in turns], self.session, self._pack)
        spent = _worker_seconds(self.session.seconds, before)
        spent["other"] += time.perf_counter() - began - sum(spent.values())
        for turn, case in zip(turns, packed.cases, strict=True):
            turn.case = case
            turn.packs = packed.of(case)
            turn.spend({activity: seconds / len(turns) for activity, seconds in spent.items()})

    @contextmanager
    def _timed(self, turn: _Turn) -> Iterator[None]:
        """Work on a case: the time that it takes, and what goes wrong, is the case's."""
        self._clock.reset()
        before = self._seconds
        try:
            yield
        except EnvironmentProblem:
            raise
        except Exception as problem:  # noqa: BLE001 - nothing is lost: it is the case's result
            turn.fail(problem)
        finally:
            turn.spend(self._clock.seconds)
            turn.spend(_worker_seconds(self._seconds, before))

    @property
    def _seconds(self) -> dict[str, float]:
        """The time that the clock does not count: that of the workers, and of asking what the compiler takes."""
        return {**self.session.seconds, PROBE: self._support.seconds}

    def _executed(self, case: Case) -> Case:
        """The case with what became of its programs. Raises Skip where the compiler supports none."""
        case = self._ran(case)
        if _refused(case) and (own := _on_its_own_inputs(case)):  # others are not fit for it, perhaps
            case = self._ran(own)
        if case.broken:
            return case
        for program in case.programs:
            if problem := pipeline.misplaced(program):
                raise broken.BrokenProgram(f"{problem}\nof the program\n{program.artifact.source!s}")
        supported = [program for program in case.programs if program.outcome.status != "unsupported"]
        if not supported:
            raise Skip("unsupported: " + pipeline.first_line(case.programs[0].outcome))
        return replace(case, programs=supported)

    def _ran(self, case: Case) -> Case:
        """The case with what became of its programs.

        Where one that we wrote of a graph is refused, all are written plainly: that takes far less time than another
        seed graph. Raises Skip where one is refused then, too, and BrokenProgram where it is our own fault.
        """
        ours = not case.broken and not any(program.given for program in case.programs)
        case = self._ran_as_it_is(case, all_or_none=ours)
        if ours and _unsupported(case):
            with self._clock.of("lower"):
                plain = pipeline.plainly(case, self._preparation.target)
            case = self._ran_as_it_is(plain, all_or_none=True) if plain else case
            if refused := _unsupported(case):
                raise Skip("unsupported: " + pipeline.first_line(refused[0]))
        return case

    def _ran_as_it_is(self, case: Case, *, all_or_none: bool) -> Case:
        """The case with what became of its programs. Raises BrokenProgram where one of ours is wrong."""
        case = pipeline.execute(case, self.session, all_or_none=all_or_none)
        for program in case.programs:
            if not program.given and not case.broken:
                broken.check(program.artifact, program.outcome, self.session.version)
        return case

    def _judged(self, case: Case, *, may_wait: bool) -> tuple[CaseResult, Confirmed]:
        """What became of a case that ran, and what was found; with ``may_wait`` that can be postponed."""
        with self._clock.of("judge"):
            verdicts = self._judge(case)
        with self._clock.of(CONFIRM):
            found = self.confirming.confirm(case, verdicts, may_wait=may_wait)
        judged = {t.label for t in case.ran} | {v.culprit for v in verdicts if v.culprit}
        pairs = 1 if case.broken else comb(len(judged), min(len(case.programs), 2))
        if not pairs and not verdicts:
            failed = next(program.outcome for program in case.programs if not program.ran)
            raise Skip("failed: " + pipeline.first_line(failed))
        accepted = case.broken if case.ran else ""
        due = self._preparation.due(case.index)
        result = CaseResult(
            case.index,
            pairs,
            programs=len(case.programs) if case.broken else len(judged),
            rules=case.rules,
            accepted=accepted,
            covered=covered(case.ran, due.distribution) if due != NOTHING_DUE else (),
            sizes=", ".join(self._preparation.sizes(case.index)),
        )
        return _with(result, found), found

    def _judge(self, case: Case) -> list[Verdict]:
        """What the oracles say, in the order in which the user names them."""
        verdicts: list[Verdict] = []
        for name in self._config.oracles:
            before = sum(self.session.seconds.values())
            verdicts += pipeline.judge(case, self.session, [name])
            self._clock.deduct(sum(self.session.seconds.values()) - before)
        return verdicts


def _with(result: CaseResult, found: Confirmed) -> CaseResult:
    """The result with what was found."""
    flaky = [verdict.message for verdict in found.flaky]
    return replace(result, findings=found.findings, known=found.known, flaky=flaky, again=found.again)


def _tells(result: CaseResult) -> bool:
    """Whether a result tells of something that the case shows. If not, it may show something in company alone."""
    return bool(result.findings or result.known or result.again or result.flaky or result.defect)


def _unsupported(case: Case) -> list[Outcome]:
    """What became of the programs that the compiler does not support."""
    return [program.outcome for program in case.programs if program.outcome.status == "unsupported"]


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


def _worker_seconds(now: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    """The time that workers have spent between two moments, by activity."""
    spent = dict.fromkeys(ACTIVITIES, 0.0)
    for activity, seconds in now.items():
        spent[activity if activity in ACTIVITIES else "other"] += seconds - before.get(activity, 0.0)
    return spent
