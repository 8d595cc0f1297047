"""Bisection: which parts of a compiler must be switched off for a fault to vanish, by delta debugging over its knobs.

First by optimization level, from the lowest up; then among the knobs of no single part, as those of memory planning;
then among those that say what the compiler did to these programs; then among all. Every trial compiles both programs
in fresh processes and asks the oracle that gave the verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from polyjuice import pipeline
from polyjuice.compilers import CompilerInfo, EnvironmentProblem
from polyjuice.lower import Unlowerable
from polyjuice.oracles import Case, Program, Verdict
from polyjuice.session import CompilerSession, Conditions
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import report
from polyjuice.triage.causes import CRASH, SETTING, WRONG, by_part, cause_of
from polyjuice.triage.consequences import comes_of_a_wrong_value
from polyjuice.triage.ddmin import ddmin
from polyjuice.triage.stored import FindingError, Stored

#: How a trace names a member of a family that was switched off.
_WITHOUT = "without "

#: How many other sets of knobs are looked for that suffice, too, without any of those found before.
ALTERNATIVES = 2


#: Of how many knobs sets are tried where nothing runs without all of them: there may be as many as the square of it.
_FEW = 16

#: Larger sets name no part: nearly any fault vanishes where enough is switched off.
_ISOLATED = 3

#: How many knobs the line on a trial names.
_SAID = 4


class Trial(StrEnum):
    """What became of a fault: ``broken`` where the programs do not compile and run, so that nothing can be said."""

    shown = "shown"
    gone = "gone"
    broken = "broken"


@dataclass(frozen=True)
class Bisection:
    """What is to blame for a finding.

    ``blame`` is a least set of knobs whose switching-off makes the fault vanish, while both programs compile and run;
    empty where there is none. Each of ``alternatives`` suffices as well. ``met`` says of the knobs in either by which
    programs' traces the compiler used them, as far as traces tell. ``levels`` is what became of the fault at the lower
    optimization levels, from the lowest to the first that shows it. ``operator`` is the only one of the wrong program,
    where the lowest level shows the fault, too. ``complete`` is false where the time ran out. A failure ``follows``
    where a value that the program computes is wrong, too, and right without the parts to blame.
    """

    shown: bool
    blame: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    met: Mapping[str, Sequence[str]] = field(default_factory=dict)
    levels: Mapping[str, Trial] = field(default_factory=dict)
    operator: str = ""
    complete: bool = True
    follows: bool = False
    trials: int = 0
    elapsed_s: float = 0.0

    def sentences(self) -> Iterator[str]:
        """The result, for a person."""
        if not self.shown:
            yield "The fault no longer shows."
            return
        if self.levels:
            by_level = ", ".join(f"{trial} at {name}" for name, trial in self.levels.items())
            yield f"By optimization level: {by_level}."
        if self.blame:
            yield f"Switching off {self._names(self.blame)} makes it vanish."
            yield from (f"So does switching off {self._names(names)}." for names in self.alternatives)
            if self.follows:
                yield "A value that the program computes is wrong, too: the error is the consequence."
        elif self.operator:
            yield f"`{self.operator}` alone shows it at the lowest level, which points to its kernel: not isolated."
        elif self.complete:
            yield "Not isolated: no part of the compiler that can be switched off makes it vanish."
        else:
            yield "Not isolated: the time ran out."

    def _names(self, names: Sequence[str]) -> str:
        met = (f" (used for {' and '.join(self.met[name])})" if self.met.get(name) else "" for name in names)
        return " and ".join(f"`{name}`{by}" for name, by in zip(names, met, strict=True))


class _OutOfTime(Exception):
    """No further trial may begin."""


def bisect(
    finding: Stored,
    time_s: float,
    said: Callable[[str], None] = lambda _: None,
    *,
    alternatives: int = ALTERNATIVES,
) -> Bisection:
    """Bisect a finding for so many seconds; ``said`` is told of each trial in a line.

    So many ``alternatives`` to the first set of knobs are looked for.

    A trial that is under way when they are over is broken off, but not the first, which says whether the fault shows.

    Raises FindingError where the compiler has no knobs, EnvironmentProblem where it cannot be used here.
    """
    try:
        case = finding.case()
    except Unlowerable as error:
        raise FindingError(f"the finding cannot be lowered any more: {error}") from None
    return _Search(finding, case, time_s, said, alternatives).run()


def store(finding: Stored, result: Bisection) -> None:
    """Write the result, and the cause that it tells, into ``finding.json``, and ``report.md`` where there is one.

    What is known of a part to blame stays where the result names none.
    """
    if not result.shown or (finding.record.blame and not result.blame):
        return
    blame = list(result.blame)
    bisection = {
        "shown": result.shown,
        "alternatives": [list(names) for names in result.alternatives],
        "met": {name: list(labels) for name, labels in result.met.items()},
        "levels": {name: trial.value for name, trial in result.levels.items()},
        "complete": result.complete,
        "trials": result.trials,
        "elapsed_s": round(result.elapsed_s, 2),
        "sentences": list(result.sentences()),
    }
    cause = (
        by_part(WRONG, "", result.blame) if result.follows else cause_of(finding.record, finding.graphs, result.blame)
    )
    finding.annotate(cause=cause, blame=blame, bisection=bisection)
    path, repro = finding.folder / "report.md", finding.folder / "repro.py"
    if path.is_file() and repro.is_file():
        record = replace(finding.record, cause=cause, blame=blame, bisection=bisection)
        text = report.render(record, finding.graphs, finding.artifacts, repro.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")


def without(finding: Stored, case: Case, disabled: Sequence[str], level: str = "") -> Trial:
    """What becomes of a fault where some knobs are switched off, at a level of its own if one is given.

    ``case`` is the finding's. Raises EnvironmentProblem where nothing is switched off and the compiler does not start.
    """
    conditions = replace(finding.conditions, level=level or finding.conditions.level)
    return tried(case, finding.verdict, conditions, finding.compiler, disabled)


def tried(
    case: Case, verdict: Verdict, conditions: Conditions, compiler: CompilerInfo, disabled: Sequence[str]
) -> Trial:
    """What becomes of a fault, in processes that have seen nothing yet, where some knobs are switched off.

    Raises EnvironmentProblem where none is switched off and the compiler does not start.
    """
    for _ in range(pipeline.tries(verdict.kind)):
        with CompilerSession(conditions, compiler, disabled) as session:
            try:
                again = pipeline.rerun(case, session)
            except EnvironmentProblem:  # the compiler does not even start
                if not disabled:
                    raise
                return Trial.broken
            if (trial := trial_of(again, verdict, session)) is not Trial.gone:
                return trial
    return Trial.gone


def accounting(sets: Sequence[Sequence[str]], trial: Callable[[Sequence[str]], Trial]) -> int | None:
    """Which is the first of some sets of knobs without which a fault is gone, by its number; None if there is none.

    Of several, all are switched off together first: most faults that none of them accounts for are told by one trial.
    """
    everything = [*dict.fromkeys(name for names in sets for name in names)]
    if len(sets) > 1 and trial(everything) is Trial.shown:
        return None
    return next((number for number, names in enumerate(sets) if trial(names) is Trial.gone), None)


def trial_of(case: Case, verdict: Verdict, session: CompilerSession) -> Trial:
    """What has become of a fault in a case that has run."""
    if pipeline.shows(case, verdict, session):
        return Trial.shown
    return Trial.gone if _fine(case) else Trial.broken


class _Search:
    """The trials of one bisection, each made once."""

    def __init__(
        self, finding: Stored, case: Case, time_s: float, said: Callable[[str], None], alternatives: int
    ) -> None:
        self._alternatives = alternatives
        self._finding = finding
        self._case = case
        self._said = said
        self._began = time.monotonic()
        self._deadline = self._began + time_s
        self._trials: dict[tuple[str, ...], Trial] = {}
        self._made = 0
        self._levels: dict[str, Trial] = {}
        self._complete = True
        self._follows = False
        self._met: dict[str, list[str]] = {}
        self._untraced = False

    def run(self) -> Bisection:
        declared = self._check()
        if self._trial(()) is not Trial.shown:
            return self._result(shown=False)
        alternatives: list[tuple[str, ...]] = []
        with TimeLimit(self._deadline) as limit:
            try:
                self._search(declared, alternatives)
            except _OutOfTime:
                limit.passed = True
        self._complete = bool(alternatives) or not limit.passed
        isolated = [names for names in alternatives if len(names) <= _ISOLATED]
        if isolated and self._finding.record.kind == CRASH:
            with TimeLimit(self._deadline):
                self._follows = comes_of_a_wrong_value(self._finding, self._case, isolated[0])
        return self._result(shown=True, sets=tuple(isolated))

    def _search(self, declared: Sequence[str], alternatives: list[tuple[str, ...]]) -> None:
        """Add least sets of knobs to ``alternatives``, as they are found. Raises _OutOfTime."""
        self._by_level()
        self._met = self._met_knobs(declared)
        members = tuple(self._met)
        everything = (*members, *(name for name in declared if not self._covered(name)))
        found = self._least(_general(declared)) or self._least(members) or self._least(everything)
        while found:
            alternatives.append(found)
            if len(alternatives) > self._alternatives:
                return
            blamed = [name for names in alternatives for name in names]
            left = tuple(knob for knob in everything if not any(_names(knob, name) for name in blamed))
            found = self._least(left) if self._gone(left) else ()

    def _check(self) -> tuple[str, ...]:
        """The compiler's knobs. Raises FindingError where there are none."""
        with CompilerSession(self._finding.conditions, self._finding.compiler) as session:
            session.worker().start()
            knobs = tuple(session.worker().info["knobs"])
        if not knobs:
            raise FindingError(f"{self._finding.compiler.name} has no knobs: nothing of it can be switched off")
        return knobs

    def _by_level(self) -> None:
        """What becomes of the fault at lower levels. One that is seen by comparing levels tells that already."""
        levels = self._finding.compiler.levels
        if self._finding.verdict.oracle == "optlevel":
            return
        chosen = self._finding.conditions.level or (levels[-1] if levels else "")
        for level in levels[: levels.index(chosen)] if chosen in levels else ():
            self._levels[level] = self._trial((), level)
            if self._levels[level] is Trial.shown:
                break

    def _met_knobs(self, declared: Sequence[str]) -> dict[str, list[str]]:
        """The knobs that the traces of the programs name, each with the labels of those programs.

        What the compiler did to one program alone comes first; otherwise they are in the order of the declared knobs.
        """
        met: dict[str, list[str]] = {}
        place: dict[str, int] = {}
        for t in self._traced(()):
            self._untraced = self._untraced or t.outcome.status != "ok"
            for name in dict.fromkeys(t.outcome.trace):
                declaring = next((i for i, knob in enumerate(declared) if _names(knob, name)), None)
                if declaring is not None:
                    place[name] = declaring
                    met.setdefault(name, []).append(t.label)
        return {name: met[name] for name in sorted(met, key=lambda name: (len(met[name]), place[name]))}

    def _traced(self, disabled: tuple[str, ...]) -> list[Program]:
        """The programs with their traces, the culprit first."""
        with CompilerSession(self._finding.conditions, self._finding.compiler, disabled, trace=True) as session:
            case = pipeline.rerun(self._case, session)
        return sorted(case.programs, key=lambda t: t.label != self._finding.verdict.culprit)

    def _covered(self, knob: str) -> bool:
        """Whether the traces name a knob, or all members of a family that were used: a program that fails has none."""
        return any(_names(knob, name) for name in self._met) and not (_is_family(knob) and self._untraced)

    def _least(self, knobs: tuple[str, ...]) -> tuple[str, ...]:
        """A least set of these knobs without which the fault is gone; empty where there is none.

        Where nothing runs without all of them, each is tried alone, and of few knobs several together.
        """
        found: tuple[str, ...]
        together = self._trial(knobs) if knobs else Trial.shown
        if together is Trial.shown:
            return ()
        if together is Trial.broken:
            found = next(filter(self._gone, ((knob,) for knob in knobs)), ())
            found = found or (ddmin(knobs, self._gone) if len(knobs) <= _FEW else ())
        else:
            found = ddmin(knobs, self._gone)
        if not self._gone(found):
            return ()
        families = [knob for knob in found if _is_family(knob)]
        if families:
            left_out = (name for t in self._traced(found) for name in t.outcome.trace if name.startswith(_WITHOUT))
            named = dict.fromkeys(name.removeprefix(_WITHOUT) for name in left_out)
            members = [name for name in named if any(_names(knob, name) for knob in families)]
            finer = (*members, *(knob for knob in found if knob not in families))
            if self._gone(finer):
                return ddmin(finer, self._gone)
        return found

    def _gone(self, disabled: tuple[str, ...]) -> bool:
        return self._trial(disabled) is Trial.gone

    def _trial(self, disabled: tuple[str, ...], level: str = "") -> Trial:
        """Raises _OutOfTime."""
        key = (level, *sorted(disabled))
        if key not in self._trials:
            if self._made and time.monotonic() > self._deadline:
                raise _OutOfTime
            self._made += 1
            self._trials[key] = trial = without(self._finding, self._case, disabled, level)
            self._said(f"{trial}: {_described(disabled, level)}")
        return self._trials[key]

    def _result(self, shown: bool, sets: tuple[tuple[str, ...], ...] = ()) -> Bisection:
        """``sets`` are those that suffice, the one to blame first."""
        named = {name for names in sets for name in names}
        met = {name: labels for name, labels in self._met.items() if name in named}
        elapsed = time.monotonic() - self._began
        blame, *others = sets or [()]
        return Bisection(
            shown=shown,
            blame=blame,
            alternatives=tuple(others),
            met=met,
            levels=self._levels,
            operator=self._operator,
            complete=self._complete,
            follows=self._follows,
            trials=self._made,
            elapsed_s=elapsed,
        )

    @property
    def _operator(self) -> str:
        """The only operator of the wrong program, where the lowest optimization level shows the fault."""
        record, graphs = self._finding.record, self._finding.graphs
        nodes = graphs.get(record.culprit, next(iter(graphs.values()))).nodes
        lowest = next(iter(self._levels.values()), Trial.gone)
        return nodes[0].qualified if lowest is Trial.shown and len(nodes) == 1 else ""


def _is_family(knob: str) -> bool:
    """Whether a knob stands for many: those entries of a program's trace that begin so."""
    return knob.endswith("*")


def _general(declared: Sequence[str]) -> tuple[str, ...]:
    """What a compiler declares in front: settings, or all before its families. Without it, parts stay as they are.

    Nearly any operator can be switched off to make a fault of memory planning vanish.
    """
    settings = sum(knob.startswith(SETTING) for knob in declared)
    first = next((i for i, knob in enumerate(declared) if _is_family(knob)), settings)
    return tuple(declared[:first])


def _names(knob: str, entry: str) -> bool:
    """Whether a knob, or one of a family's members, is what an entry of a trace names."""
    return entry.startswith(knob[:-1]) if _is_family(knob) else entry == knob


def _described(disabled: Sequence[str], level: str) -> str:
    if level:
        return f"level {level}"
    if not disabled:
        return "as it is"
    left = len(disabled) - _SAID
    return f"without {', '.join(disabled[:_SAID])}" + (f" and {left} more" if left > 0 else "")


def _fine(case: Case) -> bool:
    """Whether all programs compile and run; one that is ill-typed on purpose is to raise an error."""
    right = ("ok", "error") if case.broken else ("ok",)
    return all(t.outcome.status in right for t in case.programs)
