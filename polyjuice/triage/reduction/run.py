"""The reducer: search over graphs or over a program as its owner wrote it, then write the result as a finding.

A program's graph determines its correct values. If float64 shows that one side of a pair is wrong, reduction leaves out
the other side. It then runs half as many programs, and needs no equivalence check. The reduced program is then compared
with one of its own rewritings: an equal program with the right result proves the compiler wrong.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import count, islice
from pathlib import Path
from typing import Any

from polyjuice import pipeline
from polyjuice.egraph import Rewriter, Rule
from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.lowering import Unlowerable, following
from polyjuice.frameworks.sandbox import Ended
from polyjuice.frameworks.split import NotSplit, split_program
from polyjuice.inputs import are_large, ranges
from polyjuice.oracles import Case, Oracle, Verdict
from polyjuice.session import CompilerSession
from polyjuice.timelimit import TimeLimit
from polyjuice.triage.explanation import default_rules, explain
from polyjuice.triage.finding import write_finding
from polyjuice.triage.record import FindingError, FindingRecord, of_verdict
from polyjuice.triage.reduction import details, edits, sides
from polyjuice.triage.reduction.edits import Edit, tidy
from polyjuice.triage.reduction.nearest import nearest
from polyjuice.triage.reduction.sides import without_an_operator
from polyjuice.triage.reduction.trial import UNFIT, OutOfTime, Pair, Trial, with_plain_names
from polyjuice.triage.stored import Stored


class NotShown(Exception):
    """The finding no longer shows."""


@dataclass(frozen=True)
class Progress:
    """The progress of a reduction: the current pass, operators of each program, and the number of candidates tried."""

    name: str
    operators: tuple[int, ...]
    candidates: int


Passes = Sequence[tuple[str, Callable[[Pair, Trial], Iterator[Edit]]]]
"""Names and passes: each pass turns a pair and its trial into the edits to try one after another."""


@dataclass(kw_only=True)
class Search:
    """Passes that shrink the last of ``accepted``: candidates that showed the fault, each smaller than the one before.

    ``tidy`` cleans up the result of each edit. ``refused`` are the candidates made from the last accepted one that did
    not show the fault, with the names of their passes.
    """

    passes: Passes
    trial: Trial
    accepted: list[Pair]
    show: Callable[[Progress], None]
    tidy: Callable[[Pair], Pair] = lambda candidate: candidate
    refused: list[tuple[str, Pair]] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """How many smaller candidates were accepted."""
        return len({candidate.digest for candidate in self.accepted}) - 1

    def run(self) -> bool:
        """Repeat all passes until none changes anything; return False if the time is up earlier.

        When the time is up, the trial under way is stopped.
        """
        with suppress(OutOfTime), TimeLimit(self.trial.until):
            while True:
                before = self.accepted[-1]
                for name, edits in self.passes:
                    while self._sweep(name, edits):
                        continue
                if self.accepted[-1] is before:
                    return True
        self.trial.session.close()  # its processes may be anywhere within a program
        return False

    def confirmed(self) -> tuple[Pair, Case, Verdict]:
        """The smallest candidate that repeats in fresh processes. Raises NotShown where not even the first one does."""
        for candidate in reversed(self.accepted):
            judged = self.trial.judge(candidate)
            if judged and pipeline.repeats(*judged, self.trial.session):
                return candidate, *judged
        raise NotShown

    def _sweep(self, name: str, edits: Callable[[Pair, Trial], Iterator[Edit]]) -> bool:
        """Apply each edit of a pass once; return whether any made the candidate smaller.

        Edits that the pass has already yielded are applied to the newest accepted candidate.
        """
        before = self.accepted[-1]
        coming, drawn = iter(edits(before, self.trial)), deque[Edit]()
        while shown := self._first(name, self._stream(coming, drawn)):
            place, candidate = shown
            self.accepted.append(candidate)
            self.refused.clear()
            for _ in range(place + 1):
                drawn.popleft()
        return self.accepted[-1] is not before

    def _stream(self, coming: Iterator[Edit], drawn: deque[Edit]) -> Iterator[tuple[int, Pair]]:
        """Yield the smaller candidates that the edits make of the newest accepted one, with the index of each edit."""
        for place in count():
            if place == len(drawn):
                edit = next(coming, None)
                if edit is None:
                    return
                drawn.append(edit)
            for candidate in self._candidates(drawn[place]):
                sized = all(t.known for graph in candidate.graphs for t in graph.input_types)  # as inputs must be
                if sized and candidate.size < self.accepted[-1].size:
                    yield place, candidate

    def _first(self, name: str, stream: Iterator[tuple[int, Pair]]) -> tuple[int, Pair] | None:
        """The first candidate that shows the fault, with the index of its edit. Raises OutOfTime.

        If several programs at once are faster, the number of candidates tried together doubles each time.
        """
        together = 1
        while batch := list(islice(stream, together)):
            self.show(Progress(name, self.accepted[-1].operators, self.trial.counts.candidates))
            if len(batch) > 1:
                self.trial.check_time()
                self.trial.compile_together([candidate for _, candidate in batch])
            for place, candidate in batch:
                self.trial.check_time()
                if self.trial.shows(candidate):
                    return place, candidate
                self.refused.append((name, candidate))
            together = min(2 * together, self.trial.together)
        return None

    def _candidates(self, edit: Edit) -> Iterator[Pair]:
        """Yield an edit's candidates, up to the first ill-typed one."""
        try:
            for candidate in edit(self.accepted[-1]):
                yield self.tidy(candidate)
        except UNFIT:
            return


PASSES: Passes = (
    ("first wrong value", edits.first_wrong),
    ("no choices", details.no_choices),
    ("outputs", edits.outputs),
    ("earlier output", edits.earlier_output),
    ("cuts", edits.cuts),
    ("choices", details.plainer_choices),
    ("merges", sides.merges),
    ("grafts", sides.grafts),
    ("bypasses", edits.bypasses),
    ("one side", sides.one_sided),
    ("detours", sides.detours),
    ("fewer inputs", edits.fewer_inputs),
    ("fewer operands", edits.fewer_operands),
    ("products", edits.products),
    ("shapes", details.smaller_dimensions),
    ("ranks", details.fewer_axes),
    ("element types", details.plainer_types),
    ("attributes", details.plainer_attributes),
    ("values", details.plainer_values),
    ("constants", edits.constants),
    ("rewritings", sides.rewritings),
)
"""The passes in the order in which they run: those that remove most come first.

Constants are folded late: equal constants of both sides change together only before that.
Rewritings replace one side entirely, so they come last.
"""

PASSES_OF_USER_PROGRAMS = [
    (name, edits) for name, edits in PASSES if name in ("outputs", "earlier output", "cuts", "bypasses", "values")
]
"""The passes that need no knowledge of the operators."""


Reduced = tuple[dict[str, Any], Case, Verdict]
"""The result of a search: how the finding was reduced (the field ``reduction`` of its record), and what is left."""


def reduce(
    stored: Stored,
    out: Path,
    time_s: float,
    show: Callable[[Progress], None] = lambda _: None,
    rules: Sequence[Rule] = (),
    *,
    from_scratch: bool = True,
) -> FindingRecord:
    """Reduce a finding within a time budget, and write the result to a folder.

    The budget of ``time_s`` seconds covers the search only. After it, the result is confirmed in three fresh processes.
    Then an explanation is sought among ``rules``, by default those that come with Polyjuice. ``from_scratch`` is for
    the reproducer (see :func:`polyjuice.triage.write_finding`). Raises NotShown, FindingError where the finding cannot
    be reduced, EnvironmentProblem.
    """
    if stored.record.broken:
        raise FindingError("a program with a broken constraint has no right values, so it cannot be reduced")
    with CompilerSession(stored.conditions, stored.compiler) as session:
        one = alone(stored, session)
        search = _of_program if one.user_program else _of_graphs
        reduction, case, verdict = search(one, session, time_s, show, rules, stored)
        return write_finding(
            out,
            session,
            case,
            verdict,
            regression=stored.record.regression,
            known=stored.record.known,
            reduction={"from": stored.record.folder, **reduction},
            explanation=_explanation(case, stored.record.profile, rules),
            from_scratch=from_scratch,
        )


def _of_graphs(
    stored: Stored,
    session: CompilerSession,
    time_s: float,
    show: Callable[[Progress], None],
    rules: Sequence[Rule],
    finding: Stored,
) -> Reduced:
    """Reduce a finding whose programs are lowered from their graphs; ``stored`` is ``finding``, or one program of it.

    A reduced single program is paired with an equal program that is right, if one is near. Raises NotShown,
    FindingError.
    """
    trial = Trial(stored=stored, session=session, rules=rules or default_rules())
    start = _start(trial)
    trial.until = time.monotonic() + time_s
    search = Search(passes=PASSES, trial=trial, accepted=[start], show=show, tidy=tidy)
    finished = search.run()
    search.accepted.append(with_plain_names(search.accepted[-1]))
    found = _with_right_program(search, finding, finished) if len(finding.graphs) > len(stored.graphs) else None
    return found or _result(tuple(stored.graphs), search, finished)


def _with_right_program(search: Search, finding: Stored, finished: bool) -> Reduced | None:
    """The search's result, confirmed together with an equal program that is right; None where none is near."""
    one = search.trial
    (label,) = one.stored.graphs
    trial = Trial(stored=replace(finding, user_program={}), session=one.session, rules=one.rules, runs=one.runs)
    for pair in with_rewritings(search.accepted[-1], list(finding.graphs).index(label), one.rewriter):
        judged = trial.judge(pair) if trial.shows(pair) else None
        if judged and pipeline.repeats(*judged, trial.session):
            before = {name: len(graph) for name, graph in finding.graphs.items()}
            return _described(search, before, pair, finished), *judged
    return None


def _described(search: Search, before: Mapping[str, int], smallest: Pair, finished: bool) -> dict[str, Any]:
    """How a search reduced a finding; ``before`` has the number of operators of each program, by label."""
    return {
        "operators_before": dict(before),
        "operators_after": dict(zip(before, smallest.operators, strict=True)),
        "accepted": search.steps,
        "nearest": nearest(search.trial, search.accepted[-1], search.refused),
        **asdict(search.trial.counts),
        "finished": finished,
    }


def _of_program(
    stored: Stored,
    session: CompilerSession,
    time_s: float,
    show: Callable[[Progress], None],
    rules: Sequence[Rule],
    finding: Stored,
) -> Reduced:
    """Reduce a program as its owner wrote it: lower its graph again, or cut down its text, whichever gets smaller.

    Raises NotShown, FindingError.
    """
    began = time.monotonic()
    lowered = lowered_again(stored, session)
    of_graph = None
    if lowered:
        with suppress(NotShown, FindingError):
            of_graph = _of_graphs(lowered, session, time_s / 2, show, rules, finding)
    (label,) = stored.user_program
    if of_graph and of_graph[0]["operators_after"][label] == 1:
        return of_graph
    try:
        of_text = _of_text(stored, session, began + time_s, show)
    except (NotShown, FindingError):
        if of_graph is None:
            raise
        return of_graph
    left = [found[0]["operators_after"][label] for found in (of_graph, of_text) if found]
    return of_graph if of_graph and left[0] <= left[1] else of_text


def _of_text(stored: Stored, session: CompilerSession, until: float, show: Callable[[Progress], None]) -> Reduced:
    """Cut down a program as its owner wrote it. Raises NotShown, FindingError."""
    ((label, program),) = stored.user_program.items()
    shows_only = f"the fault shows in {label} as its owner wrote it, and not in its graph"
    try:
        split = session.sandbox.call(label, split_program, program, stored.inputs)
    except (Ended, NotSplit) as problem:
        raise FindingError(f"{shows_only}, and {problem}") from None
    trial = Trial(stored=stored, session=session, split=split)
    start = Pair(graphs=(split.graph,), inputs=split.inputs, output=stored.record.output, choices=(LoweringChoices(),))
    if len(stored.graphs) > 1 or not trial.shows(start):
        if not pipeline.shows(pipeline.execute(stored.case(), session), stored.verdict, session):
            raise NotShown
        raise FindingError(f"{shows_only}, and only together with another program")
    trial.until = until
    search = Search(passes=PASSES_OF_USER_PROGRAMS, trial=trial, accepted=[start], show=show, tidy=tidy)
    return _result((label,), search, search.run())


def _result(labels: tuple[str, ...], search: Search, finished: bool) -> Reduced:
    """The confirmed result of a search. Raises NotShown."""
    smallest, case, verdict = search.confirmed()
    before = dict(zip(labels, search.accepted[0].operators, strict=True))
    return _described(search, before, smallest, finished), case, verdict


def _start(trial: Trial) -> Pair:
    """The stored finding as a pair. Raises NotShown where it is gone, FindingError where it cannot be reduced."""
    try:
        start = trial.as_stored()
    except Unlowerable as error:
        raise FindingError(f"this version cannot lower the finding: {error}") from None
    judged = trial.judge(start)
    if not judged:
        trial.runs = 2
        judged = trial.judge(start)
    if not judged:
        raise NotShown
    if not trial.shows(start):
        if len(start.graphs) == 1:
            raise FindingError(f"the program now fails in another way: {judged[1].message}")
        profile = trial.stored.record.profile
        raise FindingError(
            f"the interpreter does not find the two sides equal on other inputs of the {profile} profile"
        )
    return start


def _explanation(case: Case, profile: str, rules: Sequence[Rule]) -> tuple[Rule, ...] | None:
    graphs = [program.graph for program in case.programs]
    if len(graphs) < 2:
        return None
    return explain(graphs[0], graphs[1], rules, ranges(graphs[0], (profile,), are_large(case.inputs[0])))


# --- from a pair to a single program, and back to a pair --------------------------------------------------------------

_REWRITINGS = 3
"""How many rewritings to try for a program."""


def alone(stored: Stored, session: CompilerSession) -> Stored:
    """Return the finding for one of its programs: the culprit, or else the smaller one that is wrong by itself.

    Return the finding unchanged where no oracle sees the fault in one program, or the compiler is no longer wrong.
    """
    oracle = stored.oracle.alone
    if not oracle or len(stored.graphs) < 2:
        return stored
    try:
        case = stored.case()
    except Unlowerable:
        return stored
    culprit = stored.record.culprit
    found = _wrong(stored, case.only([culprit]), oracle, session) if culprit in stored.graphs else []
    found = found or _wrong(stored, case, oracle, session)
    return _of(stored, min(found, key=lambda v: len(stored.graphs[v.a]))) if found else stored


def _wrong(stored: Stored, case: Case, oracle: Oracle, session: CompilerSession) -> list[Verdict]:
    verdicts = pipeline.judge(pipeline.execute(case, session), session, [oracle.name])
    return [verdict for verdict in verdicts if verdict.kind == stored.record.kind]


def with_rewritings(one: Pair, side: int, rewriter: Rewriter) -> Iterator[Pair]:
    """Yield pairs with a single program on one side and its smallest rewritings, lowered plainly, on the other."""
    (graph,) = one.graphs
    for other in islice(without_an_operator(graph, rewriter), _REWRITINGS):
        sides = [(graph, one.choices[0]), (other, LoweringChoices())]
        graphs, choices = zip(*(sides if side == 0 else reversed(sides)), strict=True)
        yield replace(one, graphs=graphs, choices=choices)


def _of(stored: Stored, verdict: Verdict) -> Stored:
    """The finding that a verdict on one of its programs describes."""
    label = verdict.a
    record = replace(
        stored.record,
        **of_verdict(verdict) | {"b": "", "culprit": label},
        profile=stored.record.profiles[verdict.inputs],
        user_program={name: files for name, files in stored.record.user_program.items() if name == label},
    )
    return replace(
        stored,
        record=record,
        graphs={label: stored.graphs[label]},
        choices={name: choices for name, choices in stored.choices.items() if name == label},
        user_program={name: artifact for name, artifact in stored.user_program.items() if name == label},
    )


def lowered_again(stored: Stored, session: CompilerSession) -> Stored | None:
    """Return the finding with its program lowered again, in the same forms or plainly; None if neither shows it."""
    (user_program,) = stored.user_program.values()
    for choices_of_all in (following(user_program.forms), LoweringChoices()):
        choices = {label: stored.choices.get(label, choices_of_all) for label in stored.graphs}
        candidate = replace(stored, choices=choices, user_program={})
        try:
            case = candidate.case()
        except Unlowerable:
            return None
        if pipeline.shows(pipeline.execute(case, session), stored.verdict, session):
            return candidate
    return None
