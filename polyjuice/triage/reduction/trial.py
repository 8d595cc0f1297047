"""Whether a candidate still shows the fault: the equivalence check, then compiler and oracle. Answers are kept."""

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
from polyjuice.formats.versions import OPSET
from polyjuice.inputs import make_inputs, mode_in
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, array_digest, digest, read
from polyjuice.lower import Unlowerable, unfit_layouts
from polyjuice.lower.onnx_model import OPSET_SITE
from polyjuice.numerics import Mode
from polyjuice.ops.decompose import NoDecomposition, decompose
from polyjuice.oracles import Case, InputSet, Program, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.stored import Stored

#: Further sets of inputs, of the finding's profile, on which the two sides must be equal too: at first sight, and of
#: what is accepted. With few and small outputs two programs are easily equal by chance.
_FEW_SETS, _MANY_SETS = 2, 16

#: What comes of attributes that no operator's sampling would choose, such as a stride of 0, and of ill-typed graphs.
UNFIT = (ArithmeticError, LookupError, TypeError, ValueError)

#: Programs are rewritten by all rules, to this depth.
_NEAR = Budget(None, 2)

#: How many candidates a compiler is given together that takes less time for several at once.
_TOGETHER = 8

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
    A program runs ``runs`` times on its inputs: some compilers' first run writes over what the second needs.
    """

    stored: Stored
    session: CompilerSession
    rules: Sequence[Rule] = ()
    until: float = math.inf
    runs: int = 1
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
        if len(pair.graphs) == 1:
            return pair.has_values or not self._has_values
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
        """Whether the finding's own program has values: with an operator that only its owner knows it has none."""
        return Pair((*self.stored.graphs.values(),), self.stored.inputs, 0, ()).has_values

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
        return self.stored.case_of(self._sets(pair), found) if len(found) == len(programs) else None

    def said(self, graph: Graph) -> Graph:
        """The graph in the operators of the compiler's format, where another one is said in several of those."""
        with suppress(NoDecomposition):
            return decompose(graph, OPSET) if self.stored.target.format == "onnx" else graph
        return graph

    def first_wrong(self, pair: Pair) -> str:
        """The first value of a single graph that its oracle finds wrong where all values are outputs; or ""."""
        (graph,) = pair.graphs
        names = tuple(name for node in graph.nodes for name in node.outputs if name)
        case = self.case(replace(pair, graphs=(replace(graph, outputs=names),)))
        said = pipeline.judge(case, self.session, [self.stored.verdict.oracle]) if case else []
        wrong = [v.output for v in said if v.kind == self.stored.verdict.kind == "mismatch"]
        return names[min(wrong)] if wrong else ""

    @property
    def together(self) -> int:
        """How many candidates are to be tried together: one that shows the fault makes those behind it useless."""
        return _TOGETHER if self.session.compiler.batches else 1

    def compile_together(self, pairs: Sequence[Pair]) -> None:
        """Run the programs of candidates that are to be tried, where the compiler takes less time for several at once.

        What came of them is kept for `shows`. Of candidates that differ in their inputs alone, one program is compiled.
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
        """Whether one side alone fails, or is wrong by itself: otherwise no other side shows a mismatch.

        Where no oracle sees in one program what the finding's sees in two, every side may be wrong.
        """
        if not self.stored.oracle.alone:
            return True
        try:
            program = self._ran(pair, side)
            if program is None or not program.ran:
                return program is not None
            case = self.stored.case_of(self._sets(pair), [program])
            return bool(pipeline.judge(case, self.session, [self.stored.oracle.alone]))
        except UNFIT:
            return False

    def _set(self, inputs: tuple[np.ndarray, ...]) -> InputSet:
        return InputSet(self.stored.record.profile, inputs, self._mode)

    def _sets(self, pair: Pair) -> list[InputSet]:
        """What the programs run on, one after another."""
        return [self._set(pair.inputs)] * self.runs

    def _ran(self, pair: Pair, side: int) -> Program | None:
        """One side, compiled and run; None where the compiler's format cannot say it.

        One side changes at a time, mostly: the other is not run again.
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
        """One side, not run yet, and what its outcome depends on. Raises Unlowerable."""
        artifact = self._lowered(pair, side)
        program = pipeline.prepare(list(self.stored.graphs)[side], pair.graphs[side], artifact, self._sets(pair))
        arrays = [*artifact.arrays.values(), *pair.inputs]
        types = [f"{array.dtype}{array.shape}" for array in arrays]
        return program, (str(self.runs), str(artifact.source), str(artifact.setup), *types, *map(array_digest, arrays))

    def _lowered(self, pair: Pair, side: int) -> Artifact:
        """One side as its choices say, as far as they suit the inputs. Raises Unlowerable."""
        graph, choices = pair.graphs[side], pair.choices[side]
        artifact = pipeline.lower(graph, choices, self.stored.target)
        unfit = unfit_layouts(graph, artifact, pair.inputs)
        return pipeline.lower(graph, choices.without(unfit), self.stored.target) if unfit else artifact

    def asked(self, pair: Pair) -> Pair:
        """The pair with those choices alone that its lowering asks for. Raises Unlowerable."""
        artifacts = [self._lowered(pair, side) for side in range(len(pair.graphs))]
        return replace(pair, choices=tuple(a.choices for a in artifacts if a.choices is not None))

    @property
    def fixed(self) -> frozenset[Site]:
        """Where choices stay: the opset, where the campaign was told it."""
        return frozenset([OPSET_SITE] if self.stored.conditions.opset else [])

    def as_stored(self) -> Pair:
        """The finding itself as a pair. Raises Unlowerable."""
        graphs, choices = tuple(self.stored.graphs.values()), tuple(self.stored.choices.values())
        return self.asked(Pair(graphs, self.stored.inputs, self.stored.record.output, choices))


def _merged(cases: Sequence[Case]) -> Case:
    """The case of one program on the inputs of all of them."""
    return replace(cases[0], sets=[one for case in cases for one in case.sets])


def _parted(outcome: Outcome, count: int) -> list[Outcome]:
    """What became of a program on each of so many sets of inputs; where there is one case, however many it has."""
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
    """Let go of what is oldest."""
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _varies(graph: Graph) -> bool:
    """Whether an output depends on an input."""
    return not read(graph).isdisjoint(graph.inputs)
