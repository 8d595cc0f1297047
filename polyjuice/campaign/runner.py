"""One case, from its index to its result: the main pipeline of the project.

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
from types import MappingProxyType

from polyjuice import packs, pipeline
from polyjuice.campaign import kinds, schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirmed, Confirming
from polyjuice.campaign.coverage import Tuple, covered
from polyjuice.campaign.preparation import NOT_LOADED, Preparation, Skip, Unsound
from polyjuice.campaign.schedule import ACTIVITIES, CONFIRM, PROBE, Clock
from polyjuice.compilers import CompilerInfo, EnvironmentProblem, find
from polyjuice.egraph import Rule
from polyjuice.execution import Outcome, broken
from polyjuice.execution.space import shortage
from polyjuice.frameworks.lowering import NOTHING
from polyjuice.inputs import GIVEN
from polyjuice.oracles import Case
from polyjuice.packs import CasePacks
from polyjuice.session import CompilerSession
from polyjuice.support import Support
from polyjuice.triage import FindingRecord


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """The result of a case: the programs tested or the reason why it was ``skipped``, findings, and time by activity.

    ``programs`` counts the programs that ran or failed visibly, and ``pairs`` the pairs of them: a program alone is
    none. ``packs`` counts the packs whose first program is the case's.

    ``rules`` are the rules that fired in the e-graph. ``accepted`` is the broken constraint of a program that ran
    nevertheless. ``covered`` has the tuples that the programs covered, if a small program was due (see
    :mod:`polyjuice.campaign.coverage`).

    ``part`` and ``changes`` say at which part of the compiler the seed graph aims (see `Case`). ``acted`` are the parts
    that changed a program; it is None if the programs were not compiled with a trace.

    ``unsound`` and ``defect`` are faults of Polyjuice: a variant that differs from its seed graph, and an internal
    error. ``false`` names the user's rules that made such a variant. ``known`` has the URLs of known bugs that were
    met, ``flaky`` the verdicts that did not repeat, and ``duplicates`` the signatures of duplicates. ``disturbed``
    names what the compiler changed in its processes, which were replaced. ``sizes`` describes the symbolic sizes of the
    model. ``postponed`` has indices if the case's findings are not yet confirmed: these cases
    ran with it, and must run once more to confirm them. ``suspected`` then has the messages of their verdicts.
    """

    index: int
    pairs: int = 0
    programs: int = field(default=0, kw_only=True)
    packs: int = field(default=0, kw_only=True)
    skipped: str = ""
    findings: Sequence[FindingRecord] = ()
    known: Sequence[str] = ()
    flaky: Sequence[str] = ()
    duplicates: Sequence[str] = ()
    disturbed: Sequence[str] = ()
    unsound: Sequence[str] = ()
    false: str = ""
    rules: Sequence[str] = ()
    accepted: str = ""
    covered: Collection[Tuple] = ()
    sizes: str = ""
    part: str = ""
    changes: Sequence[str] = ()
    acted: Sequence[str] | None = None
    postponed: Sequence[int] = ()
    suspected: Sequence[str] = ()
    defect: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def tested(self) -> bool:
        """Whether a program was judged."""
        return self.programs > 0

    @property
    def has_report(self) -> bool:
        """Whether the result reports anything. If not, the case may fail only beside other cases, in packs."""
        return bool(self.findings or self.known or self.duplicates or self.flaky or self.defect)


class _CaseRun:
    """A case in progress: how many seed graphs it has tried, the last one's case or problem, and the time of all."""

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
        self.problem = None
        self._attempt += 1
        return self._attempt - 1

    @property
    def may_try_another(self) -> bool:
        return isinstance(self.problem, Skip) and self._attempt < self._attempts

    @property
    def prepared_case(self) -> Case:
        assert self.case is not None
        return self.case

    def fail(self, problem: Exception) -> None:
        """Keep a problem in place of the case. A lack of memory is no defect: the case is skipped."""
        if isinstance(problem, MemoryError):
            problem = Skip("memory: evaluating its programs takes more than there is")
        self.case, self.problem = None, problem

    def spend(self, seconds: Mapping[str, float]) -> None:
        for activity, spent in seconds.items():
            self._seconds[activity] += spent

    def final(self) -> CaseResult:
        """Return the result of the case. After a defect of Polyjuice, it keeps what was found before."""
        result = self.result or CaseResult(index=self.index)
        if isinstance(self.problem, Skip):
            result = replace(result, skipped=str(self.problem))
        elif isinstance(self.problem, Unsound):
            result = replace(result, unsound=self.problem.args, false=self.problem.false)
        elif self.problem:
            result = replace(result, defect="".join(traceback.format_exception(self.problem)))
        return replace(result, packs=self.packs.first, seconds=self._seconds)


class Runner:
    """Runs cases of one campaign, in the compiler session that the caller passes, or else in a new one."""

    def __init__(
        self,
        config: Config,
        out: Path,
        rules: Sequence[Rule],
        session: CompilerSession | None = None,
        reported: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Read the seeds. ``reported`` counts the campaign's findings so far by signature.

        Raises FormatError, ValueError, EnvironmentProblem.
        """
        self._config = config
        self._out = out
        self._compiler: CompilerInfo = find(config.compiler)
        self._clock = Clock(lambda: sum(self._seconds.values()))
        self.session = session or CompilerSession(config.conditions, self._compiler)
        self._support = Support(self._compiler, self.session.worker(), config.opset)
        self._preparation = Preparation(config, out, rules, self._compiler, self._support, self._clock)
        self.confirming = Confirming(config, out, self.session, reported)
        self._tracing: CompilerSession | None = None
        self._parts = frozenset(self._preparation.parts)
        self._attempts = kinds.ATTEMPTS if self._preparation.generated else 1
        self._pack = config.pack_of(self._compiler)
        self._once = self._compiler.pack > 1 and self._preparation.generated
        self._spent: Counter[str] = Counter()
        """Seconds by activity, of all cases so far."""

    def close(self) -> None:
        """End the compiler sessions."""
        self.session.close()
        if self._tracing:
            self._tracing.close()

    @property
    def probe_s(self) -> float:
        """The seconds spent on starting the compiler and probing which operators it takes."""
        return self._support.seconds_by_now + self.session.seconds.get("start", 0.0)

    def run(
        self,
        indices: Sequence[int],
        postponed: Collection[int] = (),
        acted: Mapping[int, Mapping[str, int]] = MappingProxyType({}),
    ) -> Iterator[CaseResult]:
        """Run some cases, and yield their results. Programs are compiled in packs if that takes less time.

        If confirming has taken more than its share of the time on a slow compiler, findings are postponed: their cases
        get a result without them. A later call with the same ``indices`` names these cases as ``postponed``, and yields
        the results of these alone. ``acted`` is what `Task` says.

        Raises EnvironmentProblem if the compiler cannot be used at all.
        """
        self._preparation.set_acted(acted)
        if not postponed:
            for run in self._execute(indices):
                over = schedule.over_confirm_budget(self._spent, fast=self._compiler.fast)
                yield self._finished(run, indices, may_wait=over, packs_wait=not self._compiler.fast)
            return
        rerun_in_pack: list[int] = []
        for run in self._execute(sorted(postponed)):
            result = self._finished(run, indices, may_wait=False)
            if result.has_report:
                yield result
            else:
                rerun_in_pack.append(run.index)
        for run in self._execute(indices) if rerun_in_pack else ():
            if run.index in rerun_in_pack:
                yield self._finished(run, indices, may_wait=False)

    def _finished(
        self, run: _CaseRun, indices: Sequence[int], *, may_wait: bool, packs_wait: bool = False
    ) -> CaseResult:
        """Return the result of a case that ran beside others. With ``may_wait``, its findings may be postponed.

        With ``packs_wait``, so are faults that only a pack may show: to reduce a pack takes up to a minute.
        """
        if run.case:
            with self._timed(run):
                run.result, found = self._judged(run.case, may_wait=may_wait)
                faulty = run.packs.suspected(label for verdict in found.flaky for label in (verdict.a, verdict.b))
                if found.suspected or (packs_wait and faulty and not found.findings and not found.known):
                    run.result = replace(run.result, postponed=indices, suspected=found.suspected)
                else:
                    with self._clock.of(CONFIRM):
                        found += self.confirming.in_packs(run.case, faulty)
                    run.result = _with(run.result, found)
        result = run.final()
        self._spent.update(result.seconds)
        return result

    def execute(self, index: int) -> Case:
        """Prepare a case, and compile and run its programs. Unsupported programs are left out.

        Raises Skip if none of its seed graphs can be tested, and Unsound if a variant differs from its seed graph.
        """
        (run,) = self._execute([index])
        if run.problem:
            raise run.problem
        return run.prepared_case

    def execute_all(self, indices: Sequence[int]) -> list[Case]:
        """Execute several cases, in packs where the compiler takes them, without those that cannot be tested."""
        return [run.prepared_case for run in self._execute(indices) if not run.problem]

    def _execute(self, indices: Sequence[int]) -> list[_CaseRun]:
        """Prepare some cases and run their programs. If a seed graph cannot be tested, a case may try the next one.

        Where a compiler takes packs, only before its programs ran: one program takes as long as several in a pack.
        """
        runs = waiting = [_CaseRun(index, self._attempts) for index in indices]
        while waiting:
            for run in waiting:
                self._prepare(run)
            ready = [run for run in waiting if run.case]
            self._execute_packs(ready)
            for run in ready:
                with self._timed(run):
                    run.case = self._executed(run.prepared_case)
            waiting = [run for run in ready if run.may_try_another and not self._once]
        return runs

    def _prepare(self, run: _CaseRun) -> None:
        while True:
            with self._timed(run):
                run.case = self._preparation.case(run.index, run.next_attempt())
            if not run.may_try_another:
                return

    def _execute_packs(self, runs: Sequence[_CaseRun]) -> None:
        if self._pack == 1 or not runs:
            return
        began, before = time.perf_counter(), self.session.seconds
        packed = packs.execute([run.prepared_case for run in runs], self.session, self._pack)
        spent = _worker_seconds(self.session.seconds, before)
        spent["other"] += time.perf_counter() - began - sum(spent.values())
        for run, case in zip(runs, packed.cases, strict=True):
            run.case = case
            run.packs = packed.of(case)
            run.spend({activity: seconds / len(runs) for activity, seconds in spent.items()})

    @contextmanager
    def _timed(self, run: _CaseRun) -> Iterator[None]:
        """Charge the time inside the block to a case, and keep an exception as the case's problem."""
        self._clock.reset()
        before = self._seconds
        try:
            yield
        except EnvironmentProblem:
            raise
        except Exception as problem:  # noqa: BLE001 - not lost: it becomes the case's result
            if full := shortage(problem, [self._out]):
                raise full from None
            run.fail(problem)
        finally:
            run.spend(self._clock.seconds)
            run.spend(_worker_seconds(self._seconds, before))

    @property
    def _seconds(self) -> dict[str, float]:
        """The seconds that the clock does not count: those of the workers, and of probing the compiler."""
        return {**self.session.seconds, PROBE: self._support.seconds}

    def _executed(self, case: Case) -> Case:
        """Return the case with its programs' outcomes. Raises Skip if the compiler supports none of them."""
        case = self._ran(case)
        if _refused(case) and (own := _on_its_own_inputs(case)):  # perhaps the program fails on drawn inputs only
            case = self._ran(own)
        if case.broken:
            return case
        for program in case.programs:
            if problem := pipeline.misplaced(program):
                raise broken.BrokenProgram(f"{problem}\nof the program\n{program.artifact.source!s}")
        supported = [program for program in case.programs if program.outcome.status != "unsupported"]
        if not supported:
            reason = NOT_LOADED if any(program.user_program for program in case.programs) else "unsupported"
            raise Skip(f"{reason}: {pipeline.first_line(case.programs[0].outcome)}")
        return replace(case, programs=supported)

    def _ran(self, case: Case) -> Case:
        """Return the case with its programs' outcomes.

        If a generated program is unsupported, lower all again with the plainest choices: that takes far less time than
        another seed graph. Raises Skip if one is unsupported even then, and BrokenProgram if Polyjuice is to blame.
        """
        ours = not case.broken and not any(program.user_program for program in case.programs)
        case = self._ran_as_it_is(case, all_or_none=ours)
        if ours and _unsupported(case):
            with self._clock.of("lower"):
                plain = pipeline.plainly(case, self._preparation.target)
            case = self._ran_as_it_is(plain, all_or_none=True) if plain else case
            if refused := _unsupported(case):
                raise Skip("unsupported: " + pipeline.first_line(refused[0]))
        return case

    def _ran_as_it_is(self, case: Case, *, all_or_none: bool) -> Case:
        """Return the case with its programs' outcomes. Raises BrokenProgram if Polyjuice wrote a broken one."""
        case = pipeline.execute(case, self.session, all_or_none=all_or_none)
        for program in case.programs:
            if not program.user_program and not case.broken:
                broken.check(program.artifact, program.outcome, self.session.version)
        return case

    def _judged(self, case: Case, *, may_wait: bool) -> tuple[CaseResult, Confirmed]:
        """Return the result of a case that ran, and its confirmed findings. ``may_wait`` lets them be postponed."""
        with self._clock.of("judge"):
            verdicts = pipeline.judge(case, self.session, self._config.oracles)
        with self._clock.of(CONFIRM):
            found = self.confirming.confirm(case, verdicts, may_wait=may_wait)
        judged = {t.label for t in case.ran} | {v.culprit for v in verdicts if v.culprit}
        tested = case.broken or len(judged) >= min(len(case.programs), 2)
        if not tested and not verdicts:
            failed = next(program.outcome for program in case.programs if not program.ran)
            step = "run uncompiled" if failed.stage == "eager" else failed.stage
            raise Skip(f"failed to {step}: {pipeline.first_line(failed)}")
        accepted = case.broken if case.ran else ""
        target = self._preparation.target_of(case.index)
        result = CaseResult(
            index=case.index,
            pairs=comb(len(judged), 2),
            programs=len(case.programs) if case.broken else len(judged),
            rules=case.rules,
            accepted=accepted,
            covered=covered(case.ran, target.distribution) if target != NOTHING else (),
            sizes=", ".join(self._preparation.sizes(case.index)),
            disturbed=sorted({one for program in case.programs for one in program.outcome.disturbed}),
            part=case.part,
            changes=case.changes,
            acted=self._acted(case),
        )
        return _with(result, found), found

    def _acted(self, case: Case) -> Sequence[str] | None:
        """Return the parts of the compiler that changed a program of a case; None without a trace."""
        every = kinds.traced(
            self._compiler.traced, aimed=case.part, changes=case.changes, generated=self._preparation.generated
        )
        if not self._parts or case.index % every:
            return None
        outcomes = [program.outcome for program in case.ran]
        if self._compiler.traced > 1:
            with self._clock.of("compile"):
                self._tracing = self._tracing or CompilerSession(self._config.conditions, self._compiler, trace=True)
                outcomes = [self._tracing.execute(program.artifact, case.inputs[:1]) for program in case.ran]
        return sorted({name for outcome in outcomes for name in outcome.trace if name in self._parts})


def _with(result: CaseResult, found: Confirmed) -> CaseResult:
    flaky = [verdict.message for verdict in found.flaky]
    return replace(result, findings=found.findings, known=found.known, flaky=flaky, duplicates=found.duplicates)


def _unsupported(case: Case) -> list[Outcome]:
    return [program.outcome for program in case.programs if program.outcome.status == "unsupported"]


def _refused(case: Case) -> bool:
    return any(program.user_program and program.outcome.status == "unsupported" for program in case.programs)


def _on_its_own_inputs(case: Case) -> Case | None:
    """Return the same programs on the user's own inputs alone; None if there are none, or no others."""
    own = [one for one in case.sets if one.profile in GIVEN]
    if not own or len(case.sets) == 1:
        return None
    programs = [pipeline.prepare(p.label, p.graph, p.artifact, own, user_program=p.user_program) for p in case.programs]
    return replace(case, sets=own, programs=programs)


def _worker_seconds(now: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    spent = dict.fromkeys(ACTIVITIES, 0.0)
    for activity, seconds in now.items():
        named = PROBE if activity == "start" else activity if activity in ACTIVITIES else "other"
        spent[named] += seconds - before.get(activity, 0.0)
    return spent
