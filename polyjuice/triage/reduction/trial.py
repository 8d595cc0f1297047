"""Test whether a candidate still shows the fault: equivalence check, compiler, oracle. Answers are cached."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from polyjuice import pipeline
from polyjuice.egraph import Budget, Rewriter, Rule
from polyjuice.execution import Artifact, Outcome, Site
from polyjuice.frameworks import registry
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable, unfit_layouts
from polyjuice.frameworks.onnx.model import OPSET_SITE
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.frameworks.split import SplitProgram, graph_of
from polyjuice.inputs import make_inputs, mode_in
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, array_digest, digest, read
from polyjuice.numerics import Mode
from polyjuice.ops import entry
from polyjuice.ops.decompose import NoDecomposition
from polyjuice.oracles import Case, InputSet, Program, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.stored import Stored

#: How many further sets of inputs, of the finding's profile, the two sides must agree on: before the oracle, and before
#: acceptance. Few small outputs are easily equal by chance.
_FEW_SETS, _MANY_SETS = 2, 16

#: Errors from ill-typed graphs and from attributes outside an operator's usual domain, such as a stride of 0.
UNFIT = (ArithmeticError, LookupError, TypeError, ValueError)

#: The budget for rewriting programs with all rules: two iterations.
_NEAR = Budget(rules=None, iterations=2)

#: The most candidates to compile together, for a compiler that is faster with several at once.
_TOGETHER = 8

#: The most outcomes of programs, and sets of inputs, in the caches.
_KEPT = 64


class OutOfTime(Exception):
    """The time budget is spent."""


@dataclass
class Counts:
    """The cost of a reduction: candidates, those found unequal, and programs that the compiler got."""

    candidates: int = 0
    refused: int = 0
    programs: int = 0


@dataclass(kw_only=True)
class Trial:
    """Tests candidates with the finding's own oracle.

    ``rules`` may rewrite programs; ``until`` is when the time is up, on the monotonic clock. A program runs ``runs``
    times on its inputs: in some compilers the first run overwrites memory that the second needs. ``split`` is the
    program of a user, if that is what is reduced: the graph's nodes are then its own nodes or statements.
    """

    stored: Stored
    session: CompilerSession
    rules: Sequence[Rule] = ()
    until: float = math.inf
    runs: int = 1
    split: SplitProgram | None = None
    counts: Counts = field(default_factory=Counts)
    _answers: dict[str, bool] = field(default_factory=dict)
    _outcomes: dict[tuple[str, ...], Outcome] = field(default_factory=dict)
    _further: dict[str, tuple[np.ndarray, ...] | None] = field(default_factory=dict)

    @cached_property
    def rewriter(self) -> Rewriter:
        """A rewriter for near rewritings of programs."""
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
        """Check equivalence on few sets of inputs first, because most candidates fail the oracle; then on many."""
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
        """Whether the graphs have values on the pair's inputs and on others, and are equal by the campaigns' check.

        The compiler must also have something to compile: a program that reads no input is a constant.
        """
        first = pair.graphs[0]
        if any(graph.output_types != first.output_types for graph in pair.graphs):
            return False
        varied = all(map(_varies, self.stored.graphs.values()))
        if varied and any(graph.nodes and not _varies(graph) for graph in pair.graphs):
            return False
        if len(pair.graphs) == 1:
            return bool(self.split) or pair.has_values or not self._has_values
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

    @cached_property
    def _has_values(self) -> bool:
        """Whether the finding's own program has values; it has none with an operator that only its owner knows."""
        return Pair(graphs=(*self.stored.graphs.values(),), inputs=self.stored.inputs, output=0, choices=()).has_values

    @property
    def _mode(self) -> Mode:
        return mode_in(self.stored.record.profile, self.session.compiler)

    def verdict(self, pair: Pair) -> Verdict:
        """The verdict that a candidate must reproduce: same kind, side and output, and signature for crashes."""
        return replace(self.stored.verdict, message="", inputs=0, output=pair.output, culprit="")

    def judge(self, pair: Pair) -> tuple[Case, Verdict] | None:
        """The case and the oracle's own verdict; None where the fault does not show."""
        case, wanted = self.case(pair), self.verdict(pair)
        if case is None:
            return None
        verdicts = pipeline.judge(case, self.session, [wanted.oracle])
        same = [v for v in verdicts if v.same_fault(wanted)] or [
            v for v in verdicts if (v.kind, v.a) == (wanted.kind, wanted.a)
        ]
        return (case, same[0]) if same else None

    def case(self, pair: Pair) -> Case | None:
        """The pair, compiled and run; None where the compiler's format cannot express it."""
        programs = [self._ran(pair, side) for side in range(len(pair.graphs))]
        found = [program for program in programs if program]
        return self.stored.case_of(self._sets(pair), found) if len(found) == len(programs) else None

    def decomposed(self, graph: Graph) -> Graph:
        """The graph with operators that the compiler's format lacks decomposed into the format's own."""
        decompose = registry.find(self.stored.target.format).decompose
        with suppress(NoDecomposition):
            return decompose.load()(graph, OPSET) if decompose else graph
        return graph

    def first_wrong(self, pair: Pair) -> str:
        """The name of the first wrong value of a single graph when all values are outputs; or ""."""
        (graph,) = pair.graphs
        names = tuple(name for node in graph.nodes for name in node.outputs if name)
        case = self.case(replace(pair, graphs=(replace(graph, outputs=names),)))
        verdicts = pipeline.judge(case, self.session, [self.stored.verdict.oracle]) if case else []
        wrong = [v.output for v in verdicts if v.kind == self.stored.record.kind and self.stored.kind.values]
        return names[min(wrong)] if wrong else ""

    @property
    def together(self) -> int:
        """The most candidates to try together: after the first that shows the fault, the rest is wasted."""
        return _TOGETHER if self.session.compiler.batches and not self.split else 1

    def compile_together(self, pairs: Sequence[Pair]) -> None:
        """Run the programs of upcoming candidates together, where the compiler is faster with several at once.

        `shows` uses the cached outcomes. Candidates that differ only in their inputs share one compiled program.
        """
        alike: dict[tuple[str, ...], dict[tuple[str, ...], Case]] = {}
        for pair in pairs:
            if pair.digest in self._answers:
                continue
            with suppress(Unlowerable, EvaluationError, *UNFIT):
                if self.sound(pair, _FEW_SETS):
                    for side in range(len(pair.graphs)):
                        program, key = self._program(pair, side)
                        if key not in self._outcomes:
                            compiled = key if self.runs > 1 else key[: -len(pair.inputs) or None]
                            alike.setdefault(compiled, {})[key] = self.stored.case_of(self._sets(pair), [program])
        self.counts.programs += len(alike)
        merged = [_merged([*cases.values()]) for cases in alike.values()]
        for cases, case in zip(alike.values(), pipeline.execute_together(merged, self.session), strict=True):
            outcome = case.programs[0].outcome
            if len(cases) == 1 or outcome.status == "ok":
                self._outcomes.update(zip(cases, _parted(outcome, len(cases)), strict=True))

    def wrong(self, pair: Pair, side: int) -> bool:
        """Whether one side fails, or is wrong by itself: otherwise it cannot be the culprit of a mismatch.

        Always True where no oracle finds in one program what the finding's oracle finds in two.
        """
        if not self.stored.oracle.alone:
            return True
        try:
            program = self._ran(pair, side)
            if program is None or not program.ran:
                return program is not None
            case = self.stored.case_of(self._sets(pair), [program])
            return bool(pipeline.judge(case, self.session, [self.stored.oracle.alone.name]))
        except UNFIT:
            return False

    def _set(self, inputs: tuple[np.ndarray, ...]) -> InputSet:
        return InputSet(profile=self.stored.record.profile, arrays=inputs, mode=self._mode)

    def _sets(self, pair: Pair) -> list[InputSet]:
        """The sets of inputs on which the programs run, one after another."""
        return [self._set(pair.inputs)] * self.runs

    def _ran(self, pair: Pair, side: int) -> Program | None:
        """One side, compiled and run; None where the compiler's format cannot express it.

        Outcomes are cached, because most edits change only one side.
        """
        try:
            program, key = self._program(pair, side)
        except Unlowerable:
            return None
        if key not in self._outcomes:
            self.counts.programs += 1
            case = self.stored.case_of(self._sets(pair), [program])
            (ran,) = pipeline.execute(case, self.session).programs
            self._outcomes[key] = ran.outcome
            _forget(self._outcomes)
        return replace(program, outcome=self._outcomes[key])

    def _program(self, pair: Pair, side: int) -> tuple[Program, tuple[str, ...]]:
        """One side before it runs, and the key of its outcome. Raises Unlowerable, FormatError."""
        label, graph = list(self.stored.graphs)[side], pair.graphs[side]
        artifact = self.split.artifact(graph, pair.inputs) if self.split else self._lowered(pair, side)
        graph = self._meaning(label, artifact, pair.inputs) if self.split else graph
        program = pipeline.prepare(label, graph, artifact, self._sets(pair), user_program=bool(self.split))
        arrays = [*artifact.arrays.values(), *pair.inputs]
        types = [f"{array.dtype}{array.shape}" for array in arrays]
        return program, (str(self.runs), str(artifact.source), str(artifact.setup), *types, *map(array_digest, arrays))

    def _meaning(self, label: str, artifact: Artifact, inputs: tuple[np.ndarray, ...]) -> Graph:
        """The graph of a part of a user's program, so that the oracle judges what runs. Raises FormatError.

        Without a graph, or with operators that the table lacks, the uncompiled run is the reference, as for the program
        before reduction. That does not apply if the table knew all operators of the program before.
        """
        graph = self.session.sandbox.call(label, graph_of, artifact, inputs)
        if all(map(entry, self.stored.graphs[label].nodes)) and not all(map(entry, graph.nodes)):
            raise FormatError("the operator table lacks what it knew in the whole program")
        return graph

    def _lowered(self, pair: Pair, side: int) -> Artifact:
        """One side lowered with its choices, without layouts that do not fit the inputs. Raises Unlowerable."""
        graph, choices = pair.graphs[side], pair.choices[side]
        artifact = pipeline.lower(graph, choices, self.stored.target)
        unfit = unfit_layouts(graph, artifact, pair.inputs)
        return pipeline.lower(graph, choices.without(unfit), self.stored.target) if unfit else artifact

    def asked(self, pair: Pair) -> Pair:
        """The pair with only those choices that its lowering asks for. Raises Unlowerable."""
        artifacts = [self._lowered(pair, side) for side in range(len(pair.graphs))]
        return replace(pair, choices=tuple(a.choices for a in artifacts if a.choices is not None))

    @property
    def fixed(self) -> frozenset[Site]:
        """The sites whose choices must stay: the opset, where the campaign set it."""
        return frozenset([OPSET_SITE] if self.stored.conditions.opset else [])

    def as_stored(self) -> Pair:
        """The finding itself as a pair. Raises Unlowerable."""
        graphs, choices = tuple(self.stored.graphs.values()), tuple(self.stored.choices.values())
        return self.asked(
            Pair(graphs=graphs, inputs=self.stored.inputs, output=self.stored.record.output, choices=choices)
        )


def _merged(cases: Sequence[Case]) -> Case:
    return replace(cases[0], sets=[one for case in cases for one in case.sets])


def _parted(outcome: Outcome, count: int) -> list[Outcome]:
    """Split a program's outcome into ``count`` outcomes, one for each case; a single case keeps all its sets."""
    if count == 1:
        return [outcome]
    return [
        replace(
            outcome,
            outputs=outcome.outputs[i : i + 1],
            reference=outcome.reference and outcome.reference[i : i + 1],
            memory=outcome.memory[i : i + 1],
            reference_memory=outcome.reference_memory[i : i + 1],
        )
        for i in range(count)
    ]


def _forget(kept: dict[Any, Any]) -> None:
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _varies(graph: Graph) -> bool:
    """Whether an output depends on an input."""
    return not read(graph).isdisjoint(graph.inputs)
