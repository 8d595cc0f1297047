"""Bisection: find the parts of a compiler to switch off so that a fault vanishes, by delta debugging over its knobs.

Bisection tries optimization levels from the lowest up. Next come knobs that belong to no single part, such as memory
planning, then knobs named in the programs' traces, then all knobs. At last it tries conditions such as a narrower
instruction set, each alone (`polyjuice.compilers.CompilerInfo.conditions`). Every trial compiles both programs in fresh
processes and asks the oracle that gave the verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import cast

from polyjuice import pipeline
from polyjuice.compilers import SETTING, THREADS, VARIABLE, CompilerInfo, EnvironmentProblem, is_family
from polyjuice.ddmin import ddmin
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.ir import Graph, Node, dtypes, prune
from polyjuice.ops import primitives
from polyjuice.oracles import ORACLES, Case, Program, Verdict
from polyjuice.session import CompilerSession, Conditions
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import releases
from polyjuice.triage.causes import WRONG, cause_of, ends, narrow, needed_forms
from polyjuice.triage.record import BisectionRecord, FindingError
from polyjuice.triage.stored import Stored

#: The prefix of a trace entry that names a family member that was switched off.
_WITHOUT = "without "

#: How many further sufficient sets of knobs bisection looks for, disjoint from those found before.
ALTERNATIVES = 2


#: With at most this many knobs, try sets of them where nothing runs without all: up to the square of it in trials.
_FEW = 16

#: Larger sets name no part: nearly any fault vanishes if enough is switched off.
_ISOLATED = 3

#: How many knobs the line on a trial names.
_SAID = 4


class TrialResult(StrEnum):
    """The state of a fault in a trial; ``broken``: the programs did not compile and run, so it is unknown."""

    shown = "shown"
    gone = "gone"
    broken = "broken"


@dataclass(frozen=True, kw_only=True)
class Bisection:
    """The result of bisecting a finding.

    ``blame`` is a smallest set of knobs that makes the fault vanish when switched off, while both programs still
    run; empty if there is none. One that names a cause (see `causes.narrow`) goes before others. Each set in
    ``alternatives`` suffices too. ``met`` maps these knobs to the programs whose traces name them. ``levels`` maps
    lower optimization levels to the state of the fault, from the lowest to the first that shows it. ``conditions`` does
    so for the conditions that were tried, in the words of `polyjuice.compilers.CompilerInfo.conditions`. ``operator``
    is the only operator of the wrong program, where the lowest level shows the fault too. ``complete`` is false where
    the time ran out. A failure ``follows`` from a wrong value of the program if the value is right without the
    parts to blame.
    """

    shown: bool
    blame: tuple[str, ...] = ()
    alternatives: tuple[tuple[str, ...], ...] = ()
    met: Mapping[str, Sequence[str]] = field(default_factory=dict)
    levels: Mapping[str, TrialResult] = field(default_factory=dict)
    conditions: Mapping[str, TrialResult] = field(default_factory=dict)
    operator: str = ""
    complete: bool = True
    follows: bool = False
    trials: int = 0
    elapsed_s: float = 0.0

    def sentences(self) -> Iterator[str]:
        """Yield the result as sentences for a person."""
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
            yield "Not isolated: it shows whichever part of the compiler is switched off."
        else:
            yield "Not isolated: the time ran out."
        for state, verb in ((TrialResult.gone, "does not show"), (TrialResult.shown, "also shows")):
            if phrases := [phrase for phrase, trial in self.conditions.items() if trial is state]:
                yield f"It {verb} {', or '.join(phrases)}."

    def _names(self, names: Sequence[str]) -> str:
        met = (f" (used for {' and '.join(self.met[name])})" if self.met.get(name) else "" for name in names)
        return " and ".join(f"`{name}`{by}" for name, by in zip(names, met, strict=True))


class _OutOfTime(Exception):
    """No further trial may begin."""


def bisect(
    finding: Stored,
    time_s: float,
    show: Callable[[str], None] = lambda _: None,
    *,
    alternatives: int = ALTERNATIVES,
) -> Bisection:
    """Bisect a finding for at most ``time_s`` seconds; call ``show`` with one line for each trial.

    After the first set of knobs, look for up to ``alternatives`` further ones. With 0, no condition is tried. With 1,
    no environment variable is: it needs a process from scratch. When the time is over, the trial under way is stopped,
    except for the first trial, which checks that the fault still shows.

    Raises FindingError where the compiler has no knobs, EnvironmentProblem where it cannot be used here.
    """
    try:
        case = finding.case()
    except Unlowerable as error:
        raise FindingError(f"this version cannot lower the finding: {error}") from None
    return _Search(finding, case, time_s, show, alternatives).run()


def store(finding: Stored, result: Bisection) -> None:
    """Write the result and its root cause to ``finding.json``, and to ``report.md`` if there is one.

    A result without parts to blame does not overwrite stored ones.
    """
    if not result.shown or (finding.record.blame and not result.blame):
        return
    blame = list(result.blame)
    before = finding.record.bisection.get("releases", {})
    stored = {name: value for name, value in asdict(result).items() if name in BisectionRecord.__annotations__}
    stored |= {"elapsed_s": round(result.elapsed_s, 2), "sentences": [*result.sentences(), *releases.sentences(before)]}
    bisection = cast(BisectionRecord, stored | ({"releases": before} if before else {}))
    cause = cause_of(finding.record, finding.graphs, result.blame, follows=result.follows)
    finding.annotate(cause=cause, blame=blame, bisection=bisection)


def store_releases(finding: Stored, found: Mapping[str, str]) -> None:
    """Write the result of `releases.by_release` to ``finding.json``, and to ``report.md`` if there is one."""
    record = finding.record.bisection
    before = {*releases.sentences(record.get("releases", {}))}
    said = [sentence for sentence in record.get("sentences", ()) if sentence not in before]
    bisection = {"shown": True, "complete": False, **record, "releases": found}
    finding.annotate(bisection={**bisection, "sentences": [*said, *releases.sentences(found)]})


def without(finding: Stored, case: Case, disabled: Sequence[str], level: str = "") -> TrialResult:
    """Return the state of the fault with some knobs switched off, at ``level`` or the finding's own level.

    ``case`` is the finding's case. Raises EnvironmentProblem where nothing is switched off and the compiler does not
    start.
    """
    conditions = replace(finding.conditions, level=level or finding.conditions.level)
    return tried(case, finding.verdict, conditions, finding.compiler, disabled)


def tried(
    case: Case, verdict: Verdict, conditions: Conditions, compiler: CompilerInfo, disabled: Sequence[str]
) -> TrialResult:
    """Return the state of a fault in fresh processes with some knobs switched off.

    Raises EnvironmentProblem where none is switched off and the compiler does not start.
    """
    for _ in range(pipeline.tries(verdict.kind)):
        with CompilerSession(conditions, compiler, disabled) as session:
            try:
                again = pipeline.rerun(case, session)
            except EnvironmentProblem:  # the compiler does not even start
                if not disabled:
                    raise
                return TrialResult.broken
            if (trial := trial_of(again, verdict, session)) is not TrialResult.gone:
                return trial
    return TrialResult.gone


def accounting(sets: Sequence[Sequence[str]], trial: Callable[[Sequence[str]], TrialResult]) -> int | None:
    """Return the index of the first set of knobs without which the fault is gone; None if there is none.

    With several sets, first switch all of them off: where the fault still shows, one trial rules out every set.
    """
    everything = [*dict.fromkeys(name for names in sets for name in names)]
    if len(sets) > 1 and trial(everything) is TrialResult.shown:
        return None
    return next((number for number, names in enumerate(sets) if trial(names) is TrialResult.gone), None)


def may_act(parts: Iterable[str], case: Case, knobs: Sequence[str]) -> bool:
    """Whether all parts may have acted on programs that ran: members of a family of ``knobs`` are in the traces."""
    traced = {name for program in case.programs for name in program.outcome.trace}
    families = [knob for knob in knobs if is_family(knob)]
    return not traced or all(part in traced or not any(_names(family, part) for family in families) for part in parts)


def trial_of(case: Case, verdict: Verdict, session: CompilerSession) -> TrialResult:
    """Return the state of a fault in a case that has run."""
    if pipeline.shows(case, verdict, session):
        return TrialResult.shown
    return TrialResult.gone if _fine(case) else TrialResult.broken


class _Search:
    def __init__(
        self, finding: Stored, case: Case, time_s: float, show: Callable[[str], None], alternatives: int
    ) -> None:
        self._alternatives = alternatives
        self._finding = finding
        self._case = case
        self._show = show
        self._began = time.monotonic()
        self._deadline = self._began + time_s
        self._trials: dict[tuple[str, ...], TrialResult] = {}
        self._made = 0
        self._levels: dict[str, TrialResult] = {}
        self._met: dict[str, list[str]] = {}
        self._untraced = False

    def run(self) -> Bisection:
        """Run the bisection. Raises FindingError where the compiler has no knobs."""
        knobs = self._check()
        declared = tuple(knob for knob in knobs if not knob.startswith(VARIABLE))
        alternatives: list[tuple[str, ...]] = []
        complete, follows = True, False
        shown = self._trial(()) is TrialResult.shown
        if shown:
            with TimeLimit(self._deadline) as limit:
                try:
                    self._search(declared, alternatives)
                except _OutOfTime:
                    limit.passed = True
            complete = bool(alternatives) or not limit.passed
        isolated = [names for names in alternatives if len(names) <= _ISOLATED]
        isolated.sort(key=lambda names: not narrow(self._finding.compiler.name, names))
        if isolated and ends(self._finding.record.kind):
            with TimeLimit(self._deadline):
                follows = _comes_of_a_wrong_value(self._finding, self._case, isolated[0])
        conditions = self._by_condition(knobs) if shown and self._alternatives else {}
        blame, *others = isolated or [()]
        others = [names for names in others if not {*names} <= conditions.keys()]  # conditions are told by themselves
        named = {name for names in isolated for name in names}
        return Bisection(
            shown=shown,
            blame=blame,
            alternatives=tuple(others),
            met={name: labels for name, labels in self._met.items() if name in named},
            levels=self._levels,
            conditions={self._finding.compiler.conditions[knob]: trial for knob, trial in conditions.items()},
            operator=self._operator,
            complete=complete,
            follows=follows,
            trials=self._made,
            elapsed_s=time.monotonic() - self._began,
        )

    def _search(self, declared: Sequence[str], alternatives: list[tuple[str, ...]]) -> None:
        """Append each smallest set of knobs to ``alternatives`` when it is found. Raises _OutOfTime."""
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
        """Return the compiler's knobs. Raises FindingError where there are none."""
        with CompilerSession(self._finding.conditions, self._finding.compiler) as session:
            session.worker().start()
            knobs = tuple(session.worker().info["knobs"])
        if not knobs:
            raise FindingError(f"{self._finding.compiler.name} has no knobs, so no part of it can be switched off")
        return knobs

    def _by_level(self) -> None:
        """Record the state of the fault at lower levels, unless the oracle itself compares levels."""
        levels = self._finding.compiler.levels
        if self._finding.oracle.compares_levels:
            return
        chosen = self._finding.conditions.level or (levels[-1] if levels else "")
        for level in levels[: levels.index(chosen)] if chosen in levels else ():
            self._levels[level] = self._trial((), level)
            if self._levels[level] is TrialResult.shown:
                break

    def _by_condition(self, knobs: Sequence[str]) -> dict[str, TrialResult]:
        """Return the state of the fault under each condition of this machine, as far as the time allows."""
        found: dict[str, TrialResult] = {}
        with TimeLimit(self._deadline), suppress(_OutOfTime):
            for knob in self._finding.compiler.conditions:
                quick = self._alternatives > 1 or not knob.startswith(VARIABLE)
                if quick and knob in (*knobs, THREADS):
                    found[knob] = self._trial((knob,))
        return found

    def _met_knobs(self, declared: Sequence[str]) -> dict[str, list[str]]:
        """Return the knobs that the programs' traces name, each with the labels of those programs.

        Knobs used for only one program come first; otherwise they keep the order in which the compiler declares them.
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
        with CompilerSession(self._finding.conditions, self._finding.compiler, disabled, trace=True) as session:
            case = pipeline.rerun(self._case, session)
        return sorted(case.programs, key=lambda t: t.label != self._finding.verdict.culprit)

    def _covered(self, knob: str) -> bool:
        """Whether the traces name a knob. A family counts only if every program ran: one that fails has no trace."""
        return any(_names(knob, name) for name in self._met) and not (is_family(knob) and self._untraced)

    def _least(self, knobs: tuple[str, ...]) -> tuple[str, ...]:
        """Return a smallest subset of these knobs without which the fault is gone; empty where there is none.

        If nothing runs without all of them, try each knob alone, and then sets if there are few knobs.
        """
        found: tuple[str, ...]
        together = self._trial(knobs) if knobs else TrialResult.shown
        if together is TrialResult.shown:
            return ()
        if together is TrialResult.broken:
            found = next(filter(self._gone, ((knob,) for knob in knobs)), ())
            found = found or (ddmin(knobs, self._gone) if len(knobs) <= _FEW else ())
        else:
            found = ddmin(knobs, self._gone)
        if not self._gone(found):
            return ()
        families = [knob for knob in found if is_family(knob)]
        if families:
            left_out = (name for t in self._traced(found) for name in t.outcome.trace if name.startswith(_WITHOUT))
            named = dict.fromkeys(name.removeprefix(_WITHOUT) for name in left_out)
            members = [name for name in named if any(_names(knob, name) for knob in families)]
            finer = (*members, *(knob for knob in found if knob not in families))
            if self._gone(finer):
                return ddmin(finer, self._gone)
        return found

    def _gone(self, disabled: tuple[str, ...]) -> bool:
        return self._trial(disabled) is TrialResult.gone

    def _trial(self, disabled: tuple[str, ...], level: str = "") -> TrialResult:
        """Return the state of the fault in a trial, from the cache if possible. Raises _OutOfTime."""
        key = (level, *sorted(disabled))
        if key not in self._trials:
            if self._made and time.monotonic() > self._deadline:
                raise _OutOfTime
            self._made += 1
            self._trials[key] = trial = without(self._finding, self._case, disabled, level)
            condition = self._finding.compiler.conditions.get("".join(disabled))
            self._show(f"{trial}: {condition or _described(disabled, level)}")
        return self._trials[key]

    @property
    def _operator(self) -> str:
        """The only operator of the wrong program, where the lowest optimization level shows the fault.

        A program that needs a form has further operators.
        """
        record, graphs = self._finding.record, self._finding.graphs
        nodes = graphs.get(record.culprit, next(iter(graphs.values()))).nodes
        lowest = next(iter(self._levels.values()), TrialResult.gone)
        alone = len(nodes) == 1 and not needed_forms(record)
        return nodes[0].qualified if lowest is TrialResult.shown and alone else ""


def _general(declared: Sequence[str]) -> tuple[str, ...]:
    """The knobs that a compiler declares before its families of parts; without families, only its settings.

    They come first, because switching off nearly any operator makes a fault of memory planning vanish.
    """
    settings = sum(knob.startswith(SETTING) for knob in declared)
    first = next((i for i, knob in enumerate(declared) if is_family(knob)), settings)
    return tuple(declared[:first])


def _names(knob: str, entry: str) -> bool:
    """Whether a trace entry names a knob, or a member of the knob's family."""
    return entry.startswith(knob[:-1]) if is_family(knob) else entry == knob


def _described(disabled: Sequence[str], level: str) -> str:
    if level:
        return f"level {level}"
    if not disabled:
        return "as it is"
    left = len(disabled) - _SAID
    return f"without {', '.join(disabled[:_SAID])}" + (f" and {left} more" if left > 0 else "")


def _fine(case: Case) -> bool:
    """Whether all programs compile and run; a program that is ill-typed on purpose must raise an error."""
    right = ("ok", "error") if case.broken else ("ok",)
    return all(t.outcome.status in right for t in case.programs)


_TRACING = tuple(oracle.name for oracle in ORACLES.values() if oracle.traces_values)
"""The oracles that find a wrong value with a single program."""


def _comes_of_a_wrong_value(finding: Stored, case: Case, blame: Sequence[str]) -> bool:
    """Whether the failing program computes a wrong value that is right without the parts to blame for the failure.

    To test this, each value gets a program that ends just after it. ``case`` is the finding's case.
    """
    label = finding.record.culprit
    if label not in finding.choices or finding.graphs[label].updates:
        return False
    graph = finding.graphs[label]
    programs = []
    for name in (name for node in graph.nodes for name in node.outputs if name):
        part = _up_to(graph, name)
        with suppress(Unlowerable):
            artifact = pipeline.lower(part, finding.choices[label], finding.target)
            programs.append(pipeline.prepare(name, part, artifact, case.sets))
    shorter = finding.case_of(case.sets, programs)
    wrong, _ = _values(shorter, finding, ())
    return bool(wrong) and not wrong.isdisjoint(_values(shorter, finding, blame)[1])


def _up_to(graph: Graph, name: str) -> Graph:
    """The part of a graph that computes a value, followed by a negation where the value's type has one.

    The negation keeps the value from being an output, because many optimizers leave operators of outputs alone.
    """
    end, type = name, graph.types[name]
    if type.dtype in (*dtypes.FLOATS, *dtypes.SIGNED):
        end = f"{name}_negated"
        negation = Node(primitives.NEG, (name,), (end,))
        graph = replace(graph, nodes=(*graph.nodes, negation), types={**graph.types, end: type})
    return prune(replace(graph, outputs=(end,)))


def _values(case: Case, finding: Stored, disabled: Sequence[str]) -> tuple[set[str], set[str]]:
    """The names of the wrong values and of the right values, with some parts of the compiler switched off."""
    with CompilerSession(finding.conditions, finding.compiler, disabled) as session:
        ran = pipeline.rerun(case, session)
        wrong = {verdict.a for verdict in pipeline.judge(ran, session, _TRACING) if verdict.kind == WRONG}
    return wrong, {program.label for program in ran.ran} - wrong
