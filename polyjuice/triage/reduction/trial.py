"""Whether a candidate still shows the fault: the equivalence check, then compiler and oracle. Answers are kept."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from polyjuice import pipeline
from polyjuice.egraph import Budget, Rewriter, Rule
from polyjuice.execution import Artifact, Outcome
from polyjuice.inputs import make_inputs, mode_in
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, array_digest, digest
from polyjuice.lower import Unlowerable
from polyjuice.lower.forms import ALL, text
from polyjuice.numerics import Mode
from polyjuice.oracles import Case, InputSet, Program, Spelling, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.values import fingerprint
from polyjuice.triage.stored import Stored

#: Further sets of inputs, of the finding's profile, on which the two sides must be equal too: at first sight, and of
#: what is accepted. With few and small outputs two programs are easily equal by chance.
_FEW_SETS, _MANY_SETS = 2, 16

#: How many keys are tried for a lowering that has just the idioms that are wanted.
_KEYS = 16

#: What comes of attributes that no operator's sampling would choose, such as a stride of 0, and of ill-typed graphs.
UNFIT = (ArithmeticError, LookupError, TypeError, ValueError)

#: Programs are rewritten by all rules, to this depth.
_NEAR = Budget(None, 2)

#: How many programs' outcomes, and sets of inputs, are kept.
_KEPT = 64


class OutOfTime(Exception):
    """The time budget is spent."""


@dataclass
class Counts:
    """What a reduction took: candidates, those found unequal, and programs that the compiler was given."""

    candidates: int = 0
    refused: int = 0
    programs: int = 0


@dataclass
class Trial:
    """Holds candidates against the finding's own oracle.

    ``rules`` are those with which programs may be rewritten; ``until`` is when the time is up, on the monotonic clock.
    """

    stored: Stored
    session: CompilerSession
    rules: Sequence[Rule] = ()
    until: float = math.inf
    counts: Counts = field(default_factory=Counts)
    _answers: dict[str, bool] = field(default_factory=dict)
    _outcomes: dict[tuple[str, ...], Outcome] = field(default_factory=dict)
    _further: dict[str, tuple[np.ndarray, ...] | None] = field(default_factory=dict)

    @cached_property
    def rewriter(self) -> Rewriter:
        """Makes near rewritings of programs."""
        return Rewriter(self.rules, _NEAR)

    def check_time(self) -> None:
        """Raises OutOfTime."""
        if time.monotonic() > self.until:
            raise OutOfTime

    def shows(self, pair: Pair) -> bool:
        """Whether the sides are equal and the fault shows."""
        if pair.digest not in self._answers:
            self.counts.candidates += 1
            try:
                self._answers[pair.digest] = self._shows(pair)
            except UNFIT:
                self._answers[pair.digest] = False
        return self._answers[pair.digest]

    def _shows(self, pair: Pair) -> bool:
        """Check equivalence on few sets of inputs first: most candidates end at the oracle; the others on many."""
        if not self.sound(pair, _FEW_SETS):
            self.counts.refused += 1
            return False
        case = self.case(pair)
        shown = case is not None and pipeline.shows(case, self.verdict(pair), self.session)
        if shown and not self.sound(pair, _MANY_SETS):
            self.counts.refused += 1
            return False
        return shown

    def sound(self, pair: Pair, count: int) -> bool:
        """Whether the graphs have values, on the pair's inputs and on others, and are equal: as campaigns check it.

        And whether the compiler has something to compile: a program that no input enters is a constant.
        """
        first = pair.graphs[0]
        if any(graph.output_types != first.output_types for graph in pair.graphs):
            return False
        varied = all(map(_varies, self.stored.graphs.values()))
        if varied and any(graph.nodes and not _varies(graph) for graph in pair.graphs):
            return False
        sets = [pair.inputs, *self.further(pair, count)]
        if len(sets) == 1:
            return False
        try:
            problems = pipeline.equivalent(first, pair.graphs[1:], [self._set(inputs) for inputs in sets])
        except EvaluationError:
            return False
        return not any(problems)

    def further(self, pair: Pair, count: int) -> list[tuple[np.ndarray, ...]]:
        """Other inputs of the finding's profile on which the graphs have values, from up to ``count`` seeds."""
        graphs = " ".join(digest(graph) for graph in pair.graphs)
        found = []
        for number in range(count):
            key = f"{number} {graphs}"
            if key not in self._further:
                try:
                    profile = self.stored.record.profile
                    self._further[key] = make_inputs(pair.graphs[0], profile, number, pair.graphs[1:])
                except EvaluationError:
                    self._further[key] = None
            found.append(self._further[key])
        _forget(self._further)
        return [inputs for inputs in found if inputs is not None]

    @property
    def _mode(self) -> Mode:
        return mode_in(self.stored.record.profile, self.session.compiler)

    def verdict(self, pair: Pair) -> Verdict:
        """What must be said of a candidate; an oracle compares kind, side and output, and of crashes the signature."""
        return replace(self.stored.verdict, message="", inputs=0, output=pair.output, culprit="")

    def judge(self, pair: Pair) -> tuple[Case, Verdict] | None:
        """The case and the oracle's own words; None where the fault does not show."""
        case, wanted = self.case(pair), self.verdict(pair)
        if case is None:
            return None
        said = pipeline.judge(case, self.session, [wanted.oracle])
        same = [v for v in said if v.same_fault(wanted)] or [
            v for v in said if (v.kind, v.a) == (wanted.kind, wanted.a)
        ]
        return (case, same[0]) if same else None

    def case(self, pair: Pair) -> Case | None:
        """The pair, compiled and run; None where the compiler's format cannot say it."""
        programs = [self._ran(pair, side) for side in range(len(pair.graphs))]
        found = [program for program in programs if program]
        return self.stored.case_of([self._set(pair.inputs)], found) if len(found) == len(programs) else None

    def wrong(self, pair: Pair, side: int) -> bool:
        """Whether one side alone fails, or is wrong by float64: otherwise no other side shows a mismatch.

        What another oracle looks for takes both sides: then every side may be wrong.
        """
        if self.stored.verdict.oracle not in ("metamorphic", "crash"):
            return True
        try:
            program = self._ran(pair, side)
            if program is None or not program.ran:
                return program is not None
            case = self.stored.case_of([self._set(pair.inputs)], [program])
            return bool(pipeline.judge(case, self.session, ["differential"]))
        except UNFIT:
            return False

    def _set(self, inputs: tuple[np.ndarray, ...]) -> InputSet:
        return InputSet(self.stored.record.profile, inputs, self._mode)

    def _ran(self, pair: Pair, side: int) -> Program | None:
        """One side, compiled and run; None where the compiler's format cannot say it.

        One side changes at a time, mostly: the other is not run again.
        """
        label, spelling = list(self.stored.spellings.items())[side]
        graph, called = pair.graphs[side], pair.called[side]
        found = self._lowered(graph, pair, side, replace(spelling, called=called))
        if found is None:
            return None
        artifact, used = found
        sets = [self._set(pair.inputs)]
        program = pipeline.prepare(label, graph, artifact, sets, used)
        arrays = [*artifact.arrays.values(), *pair.inputs]
        types = [f"{array.dtype}{array.shape}" for array in arrays]
        key = (str(artifact.source), str(artifact.setup), *types, *map(array_digest, arrays))
        if key not in self._outcomes:
            self.counts.programs += 1
            (ran,) = pipeline.execute(self.stored.case_of(sets, [program]), self.session).programs
            self._outcomes[key] = ran.outcome
            _forget(self._outcomes)
        return replace(program, outcome=self._outcomes[key])

    def _lowered(self, graph: Graph, pair: Pair, side: int, spelling: Spelling) -> tuple[Artifact, Spelling] | None:
        """The graph, spelled with the idioms that are wanted, or with others where no key is found for these."""
        names = [spelling.called.get(name, name) for name in graph.inputs]
        repeated = {
            name: axis
            for name, array in zip(names, pair.inputs, strict=True)
            if (axis := spelling.repeated.get(name, array.ndim)) < array.ndim and _repeats(array, axis)
        }
        best: tuple[int, Artifact, Spelling] | None = None
        for number in range(_KEYS):
            key = f"{spelling.key} {number}" if number else spelling.key
            try:
                found = self._in_forms(graph, pair.forms[side], replace(spelling, key=key, repeated=repeated))
            except Unlowerable:
                return None
            off = len(idiom_names(found[0]) ^ pair.idioms[side])
            if best is None or off < best[0]:
                best = off, *found
            if not off:
                break
        return best[1:] if best else None

    def _in_forms(self, graph: Graph, forms: frozenset[str], spelling: Spelling) -> tuple[Artifact, Spelling]:
        """The graph with no other forms than these. Raises Unlowerable."""
        if not forms:
            spelling = replace(spelling, avoided=(ALL,), said=())
            return pipeline.lower(graph, spelling, self.stored.target)
        artifact, _ = pipeline.lower(graph, spelling, self.stored.target)
        others = form_names(artifact) - forms - self._unavoidable
        if not others:
            return artifact, spelling
        spelling = replace(spelling, avoided=sorted(others.union(spelling.avoided)))
        return pipeline.lower(graph, spelling, self.stored.target)

    @cached_property
    def _unavoidable(self) -> frozenset[str]:
        """The forms that the finding's programs have however plain they are, such as an opset. Raises Unlowerable."""
        sides = ((graph, self.stored.spellings[label]) for label, graph in self.stored.graphs.items())
        plain = (
            pipeline.lower(graph, replace(spelling, avoided=(ALL,), said=()), self.stored.target)[0]
            for graph, spelling in sides
        )
        return frozenset().union(*map(form_names, plain))

    def as_stored(self) -> Pair:
        """The finding itself as a pair, in the spelling in which it was found. Raises Unlowerable."""
        record, spellings = self.stored.record, self.stored.spellings
        artifacts = [program.artifact for program in self.stored.case().programs]
        forms = tuple(form_names(artifact) - self._unavoidable for artifact in artifacts)
        graphs = tuple(self.stored.graphs.values())
        called = tuple(spelling.called for spelling in spellings.values())
        return Pair(graphs, self.stored.inputs, record.output, tuple(map(idiom_names, artifacts)), called, forms)


def _forget(kept: dict[Any, Any]) -> None:
    """Let go of what is oldest."""
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _varies(graph: Graph) -> bool:
    """Whether an output depends on an input."""
    read = {*graph.outputs, *(name for node in graph.nodes for name in node.inputs)}
    return not read.isdisjoint(graph.inputs)


def idiom_names(artifact: Artifact) -> frozenset[str]:
    """The idioms of a program without what depends on its length: how often each occurs, and each input's layout."""
    return frozenset(re.sub(r" x\d+$|(?<=^layouts): .*", "", idiom) for idiom in artifact.idioms)


def form_names(artifact: Artifact) -> frozenset[str]:
    """The forms of a program."""
    return frozenset(map(text, artifact.forms))


def _repeats(array: np.ndarray, axis: int) -> bool:
    """Whether the values are the same all along an axis."""
    return array.shape[axis] > 1 and fingerprint(array) == fingerprint(np.take(array, [0] * array.shape[axis], axis))
