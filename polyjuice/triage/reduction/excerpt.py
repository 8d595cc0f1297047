"""Test whether a cut-down part of a program, as its owner wrote it, still shows the fault by itself.

Each trial reads the graph of the remaining program again, so the oracle judges the program that runs. Without a graph,
or with operators that the table lacks, the uncompiled run is the reference, as for a whole program. That does not apply
if the table knew all operators of the whole program.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from polyjuice import pipeline
from polyjuice.frameworks import apart
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.steps import Written
from polyjuice.inputs import mode_in
from polyjuice.ir import Graph, array_digest
from polyjuice.ops import entry
from polyjuice.oracles import Case, InputSet, Oracle, Verdict
from polyjuice.session import CompilerSession
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
