"""Test whether a cut-down part of a program, as its owner wrote it, still shows the fault by itself.

Each trial reads the graph of the remaining program again, so the oracle judges the program that runs. Without a graph,
or with operators that the table lacks, the uncompiled run is the reference, as for a whole program. That does not apply
if the table knew all operators of the whole program.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from polyjuice import pipeline
from polyjuice.frameworks import apart
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.steps import ProgramStep, Written
from polyjuice.inputs import mode_in
from polyjuice.ir import Graph, array_digest
from polyjuice.ops import entry
from polyjuice.oracles import Case, InputSet, Oracle, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.reduction.details import CHANGES, PART_CHANGES, changed, spans
from polyjuice.triage.reduction.edits import halves_first
from polyjuice.triage.reduction.pair import array_cost
from polyjuice.triage.reduction.trial import UNFIT, Counts, OutOfTime
from polyjuice.triage.stored import Stored


@dataclass(frozen=True, eq=False)
class Excerpt:
    """The remaining part of a given program; ``output`` is the index of the result that shows the fault."""

    written: Written
    output: int

    @cached_property
    def digest(self) -> str:
        """A hash of the program and its inputs. Raises FormatError where it is not valid."""
        artifact = self.written.artifact
        source = artifact.source if isinstance(artifact.source, bytes) else artifact.source.encode()
        arrays = [array_digest(array) for array in (*self.written.inputs.values(), *artifact.arrays.values())]
        return hashlib.sha256(b"\n".join([source, repr([self.output, artifact.setup, arrays]).encode()])).hexdigest()

    @cached_property
    def size(self) -> tuple[int, ...]:
        """The rank in the total order, with the most important number first."""
        written = self.written
        inputs = list(written.inputs.values())
        further = [array for array in written.held.values() if array is not None]
        return (
            len(written.results),
            len(written.steps),
            len(inputs) + len(written.held),
            len(further),
            sum(array.size for array in (*inputs, *further)),
            sum(map(array_cost, inputs)),
        )

    @property
    def operators(self) -> tuple[int, ...]:
        """The number of steps, as a tuple of one."""
        return (len(self.written.steps),)


def is_known(graph: Graph) -> bool:
    """Whether the operator table has every node; an oracle then judges the graph by its meaning."""
    return all(entry(node) for node in graph.nodes)


@dataclass(kw_only=True)
class ExcerptTrial:
    """Tests excerpts with the finding's oracle, or with one that sees the same fault in a single program.

    ``until`` is when the time is up, on the monotonic clock.
    """

    stored: Stored
    session: CompilerSession
    until: float = math.inf
    counts: Counts = field(default_factory=Counts)
    _answers: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def label(self) -> str:
        """The side that runs as its owner wrote it."""
        (label,) = self.stored.as_written
        return label

    @property
    def oracle(self) -> Oracle:
        """The oracle that judges excerpts."""
        return self.stored.oracle.alone or self.stored.oracle

    def as_stored(self) -> Excerpt:
        """The whole program as an excerpt. Raises NotTakenApart, Ended."""
        program = self.stored.as_written[self.label]
        written = self.session.sandbox.call(self.label, apart.taken_apart, program, self.stored.inputs)
        return Excerpt(written, self.stored.record.output)

    def check_time(self) -> None:
        """Raises OutOfTime."""
        if time.monotonic() > self.until:
            raise OutOfTime

    @property
    def together(self) -> int:
        """One, because the user's code may end its process."""
        return 1

    def compile_together(self, excerpts: Sequence[Excerpt]) -> None:
        """Do nothing: each excerpt runs by itself."""

    def shows(self, excerpt: Excerpt) -> bool:
        """Whether the oracle gives the same verdict; False for a constant or an excerpt without steps."""
        written = excerpt.written
        if not written.steps or (self.stored.inputs and not written.inputs):
            return False
        try:
            digest = excerpt.digest
        except UNFIT:
            return False
        if digest not in self._answers:
            self.counts.candidates += 1
            self._answers[digest] = False  # also where it is unfit: a hanging excerpt must not run twice
            with suppress(*UNFIT):
                case = self._case(excerpt)
                self._answers[digest] = pipeline.shows(case, self._verdict(excerpt), self.session)
        return self._answers[digest]

    @cached_property
    def _known(self) -> bool:
        """Whether the table has all operators of the whole program."""
        return is_known(self._graph(self.as_stored().written))

    def _graph(self, written: Written) -> Graph:
        """The graph of an excerpt's program. Raises FormatError."""
        return self.session.sandbox.call(self.label, apart.graph_of, written.artifact, tuple(written.inputs.values()))

    def judge(self, excerpt: Excerpt) -> tuple[Case, Verdict] | None:
        """The case and the oracle's own verdict; None where the fault does not show."""
        case, wanted = self._case(excerpt), self._verdict(excerpt)
        verdicts = (v for v in pipeline.judge(case, self.session, [self.oracle.name]) if v.same_fault(wanted))
        verdict = next(verdicts, None)
        return (case, verdict) if verdict else None

    def _case(self, excerpt: Excerpt) -> Case:
        """The excerpt, compiled and run. Raises FormatError."""
        graph, artifact = self._graph(excerpt.written), excerpt.written.artifact
        if self._known and not is_known(graph):
            raise FormatError("the operator table lacks what it knew in the whole program")
        profile = self.stored.record.profile
        inputs = tuple(excerpt.written.inputs.values())
        sets = [InputSet(profile=profile, arrays=inputs, mode=mode_in(profile, self.session.compiler))]
        self.counts.programs += 1
        whole = pipeline.prepare(self.label, graph, artifact, sets, as_written=True)
        return pipeline.execute(self.stored.case_of(sets, [whole]), self.session)

    def _verdict(self, excerpt: Excerpt) -> Verdict:
        """The verdict that the excerpt must reproduce."""
        verdict, oracle = self.stored.verdict, self.oracle.name
        return replace(
            verdict, oracle=oracle, a=self.label, b="", message="", inputs=0, output=excerpt.output, culprit=""
        )


# --- passes -----------------------------------------------------------------------------------------------------------

Cut = Callable[[Excerpt], Iterator[Excerpt]]


def outputs(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Keep only the output that shows the fault, or remove one other output."""
    yield _only_output
    for name in excerpt.written.results:
        yield partial(_without_output, name=name)


def _only_output(excerpt: Excerpt) -> Iterator[Excerpt]:
    yield Excerpt(excerpt.written.with_results([excerpt.output]), 0)


def _without_output(excerpt: Excerpt, name: str) -> Iterator[Excerpt]:
    declared = excerpt.written.results
    kept = [k for k, other in enumerate(declared) if k == excerpt.output or other != name]
    yield Excerpt(excerpt.written.with_results(kept), kept.index(excerpt.output))


def earlier_outputs(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Replace the output that shows the fault by an earlier value."""
    for name in halves_first([name for step in excerpt.written.steps for name in step.makes]):
        yield partial(_with_output, name=name)


def _with_output(excerpt: Excerpt, name: str) -> Iterator[Excerpt]:
    written, place = excerpt.written, excerpt.output
    if place >= len(written.outputs):  # the output is an updated input
        yield Excerpt(written.with_outputs([name]), 0)
        return
    outputs = (*written.outputs[:place], name, *written.outputs[place + 1 :])
    yield replace(excerpt, written=written.with_outputs(outputs, written.updates))


def beginnings(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Remove everything before a step; its results become inputs or constants."""
    for step in halves_first(excerpt.written.steps[1:]):
        yield partial(_cut, number=step.number, all_before=True)


def cuts(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Remove one step; its results become inputs or constants."""
    for step in reversed(excerpt.written.steps):
        yield partial(_cut, number=step.number, all_before=False)


def _cut(excerpt: Excerpt, number: int, all_before: bool) -> Iterator[Excerpt]:
    steps = excerpt.written.steps
    gone = [s for s in steps if (s.number < number if all_before else s.number == number)]
    if gone:
        for held in (False, True):
            yield from _fit(excerpt, partial(excerpt.written.cut, gone, held))


def bypasses(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Remove one step and replace its result, if anything reads it, by an operand of the same type."""
    for step in reversed(excerpt.written.steps):
        yield partial(_bypassed, number=step.number)


def _bypassed(excerpt: Excerpt, number: int) -> Iterator[Excerpt]:
    written = excerpt.written
    step = next((step for step in written.steps if step.number == number), None)
    if step is None:
        return
    yield from _fit(excerpt, partial(written.without, step))
    for operand in _of_the_same_type(written, step):
        yield from _fit(excerpt, partial(written.bypassed, step, operand))


def _of_the_same_type(written: Written, step: ProgramStep) -> Iterator[str]:
    """The operands that may replace a step's only result."""
    if len(step.makes) != 1 or step.makes[0] not in written.values:
        return
    made = written.values[step.makes[0]]
    for name in step.reads:
        array = written.values.get(name)
        if array is not None and (array.dtype, array.shape) == (made.dtype, made.shape):
            yield name


def _fit(excerpt: Excerpt, change: Callable[[], Written]) -> Iterator[Excerpt]:
    """The excerpt with a change; nothing where the format cannot express the result."""
    try:
        yield replace(excerpt, written=change())
    except FormatError:
        return


def plainer_inputs(excerpt: Excerpt, trial: ExcerptTrial) -> Iterator[Cut]:
    """Replace inputs by zeros, ones, whole numbers or small numbers; then do so part by part."""
    for name, array in excerpt.written.inputs.items():
        for change in CHANGES:
            yield partial(_with_input, name=name, change=change, places=slice(None))
        for places in spans(array.size):
            for change in PART_CHANGES:
                yield partial(_with_input, name=name, change=change, places=places)


def _with_input(
    excerpt: Excerpt, name: str, change: Callable[[np.ndarray], np.ndarray], places: slice
) -> Iterator[Excerpt]:
    array = excerpt.written.inputs.get(name)
    plainer = None if array is None else changed(array, change, places)
    if plainer is not None:
        yield replace(excerpt, written=excerpt.written.with_input(name, plainer))


PASSES = (
    ("outputs", outputs),
    ("earlier outputs", earlier_outputs),
    ("beginnings", beginnings),
    ("cuts", cuts),
    ("bypasses", bypasses),
    ("inputs", plainer_inputs),
)
"""The passes in the order in which they run: those that remove most come first."""
