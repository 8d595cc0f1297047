"""The reducer: passes over a pair until none makes it smaller, then a finding out of what is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from polyjuice.bench import Bench
from polyjuice.egraph import Rule
from polyjuice.inputs import are_large, ranges
from polyjuice.lower import Unlowerable
from polyjuice.oracles import Case, Verdict
from polyjuice.triage.circumstances import Circumstances
from polyjuice.triage.confirmation import repeats, rerun
from polyjuice.triage.explanation import default_rules, explain
from polyjuice.triage.finding import write_finding
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.reduction import details, names, ranks, rewritings, shapes, sides, structure
from polyjuice.triage.reduction.edits import Edit
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.respelled import respelled
from polyjuice.triage.reduction.trial import UNFIT, OutOfTime, Trial
from polyjuice.triage.stored import FindingError, Stored

Pass = Callable[[Pair, Trial], Iterator[Edit]]

PASSES: tuple[tuple[str, Pass], ...] = (
    ("spelling", details.plain_spelling),
    ("outputs", structure.outputs),
    ("earlier output", structure.earlier_output),
    ("cuts", structure.cuts),
    ("merges", sides.merges),
    ("grafts", sides.grafts),
    ("bypasses", structure.bypasses),
    ("one side", sides.one_sided),
    ("detours", sides.detours),
    ("fewer inputs", structure.fewer_inputs),
    ("fewer operands", structure.fewer_operands),
    ("shapes", shapes.smaller_dimensions),
    ("ranks", ranks.fewer_axes),
    ("element types", details.plainer_types),
    ("attributes", details.plainer_attributes),
    ("values", details.plainer_values),
    ("constants", structure.constants),
    ("rewritings", rewritings.rewritings),
)
"""In the order in which they are run: what removes most comes first.

Constants are folded late. The two sides' constants change together while they are equal, and no longer once one side
has what was computed of them. Rewritings, which take a new way from one side to the other, are the last resort.
"""


class NotShown(Exception):
    """The finding does not show any more."""


@dataclass(frozen=True)
class Step:
    """Where a reduction stands: the pass that is running, operators of each side, and candidates tried."""

    name: str
    operators: tuple[int, ...]
    candidates: int


@dataclass(frozen=True)
class Reduced:
    """A finding and what it was reduced to."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    finished: bool
    record: FindingRecord
    folder: Path


def reduce(
    stored: Stored,
    out: Path,
    time_s: float,
    show: Callable[[Step], None] = lambda _: None,
    rules: Sequence[Rule] = (),
) -> Reduced:
    """Reduce a finding within a time budget, and write what is left of it to a folder.

    The budget is for the search: the result is confirmed, three times in fresh processes, after it, and rules are
    sought that explain it: among ``rules``, or those that come with Polyjuice. Raises NotShown, FindingError where the
    finding cannot be reduced, EnvironmentProblem.
    """
    if stored.record.broken:
        raise FindingError("a graph with a broken constraint has no values, and so cannot be reduced")
    with Bench(stored.conditions, stored.compiler) as bench:
        if stored.given:
            stored = _respelled(stored, bench)
        trial = Trial(stored, bench, rules or default_rules())
        start = _start(trial)
        trial.until = time.monotonic() + time_s
        search = _Search(trial, [start], show)
        finished = search.run()
        search.accepted.append(names.with_plain_names(search.accepted[-1]))
        number, case, verdict = _confirmed(search.accepted, trial)
        after = search.accepted[number].operators
        reduction = {
            "from": stored.record.folder,
            "operators_before": dict(zip(stored.graphs, start.operators, strict=True)),
            "operators_after": dict(zip(stored.graphs, after, strict=True)),
            "accepted": search.steps,
            **asdict(trial.counts),
            "finished": finished,
        }
        explanation = _explanation(case, stored.record.profile, rules)
        record = write_finding(out, _circumstances(stored, bench), case, verdict, reduction, explanation)
    return Reduced(start.operators, after, finished, record, out)


def _respelled(stored: Stored, bench: Bench) -> Stored:
    """The finding without given programs. Raises NotShown, FindingError where the fault is in how one is written."""
    found = respelled(stored, bench)
    if found:
        return found
    if not stored.oracle.triggers(stored.verdict, rerun(stored.case(), bench), bench):
        raise NotShown
    raise FindingError(f"the fault shows only as {' and '.join(stored.given)} was written, not in what it means")


def _start(trial: Trial) -> Pair:
    """The finding as it was stored, if it still shows."""
    try:
        start = trial.as_stored()
    except Unlowerable as error:
        raise FindingError(f"the finding cannot be lowered any more: {error}") from None
    if not trial.judge(start):
        raise NotShown
    if not trial.shows(start):
        profile = trial.stored.record.profile
        raise FindingError(
            f"the interpreter does not find the two sides equal on other inputs of the {profile} profile"
        )
    return start


def _explanation(case: Case, profile: str, rules: Sequence[Rule]) -> tuple[Rule, ...] | None:
    """The rules that make one side of the other, where there are two."""
    graphs = [t.graph for t in case.tested]
    if len(graphs) < 2:
        return None
    return explain(graphs[0], graphs[1], rules, ranges(graphs[0], (profile,), are_large(case.inputs[0])))


def _circumstances(stored: Stored, bench: Bench) -> Circumstances:
    record = stored.record
    conditions, regression = bench.conditions, record.regression
    return Circumstances(
        bench.compiler, bench.versions, conditions, record.seed, record.index, record.rules, regression
    )


def _confirmed(accepted: list[Pair], trial: Trial) -> tuple[int, Case, Verdict]:
    """The smallest of the pairs that repeats in fresh processes. Raises NotShown where not even the finding does."""
    for number in reversed(range(len(accepted))):
        judged = trial.judge(accepted[number])
        if judged and repeats(*judged, trial.bench):
            return number, *judged
    raise NotShown


@dataclass
class _Search:
    """The passes at work on the last of ``accepted``: pairs that showed the fault, each smaller than those before."""

    trial: Trial
    accepted: list[Pair]
    show: Callable[[Step], None]

    @property
    def steps(self) -> int:
        """How many candidates took the pair's place."""
        return len({pair.digest for pair in self.accepted}) - 1

    def run(self) -> bool:
        """Repeat all passes until none changes anything; False where the time is up before."""
        try:
            while True:
                before = self.accepted[-1]
                for name, edits in PASSES:
                    while self._sweep(name, edits):
                        continue
                if self.accepted[-1] is before:
                    return True
        except OutOfTime:
            return False

    def _sweep(self, name: str, edits: Pass) -> bool:
        """Each edit of a pass once; whether any made the pair smaller."""
        before = self.accepted[-1]
        for edit in edits(before, self.trial):
            self.show(Step(name, self.accepted[-1].operators, self.trial.counts.candidates))
            for candidate in _candidates(edit, self.accepted[-1]):
                self.trial.check_time()
                if candidate.size < self.accepted[-1].size and self.trial.shows(candidate):
                    self.accepted.append(candidate)
                    break
        return self.accepted[-1] is not before


def _candidates(edit: Edit, pair: Pair) -> Iterator[Pair]:
    """What an edit makes of a pair, up to where it makes something ill-typed."""
    try:
        for candidate in edit(pair):
            yield names.tidy(candidate)
    except UNFIT:
        return
