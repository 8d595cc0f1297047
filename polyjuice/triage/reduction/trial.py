"""A candidate of reduction, and the test whether it still shows the fault: equivalence check, compiler, oracle.

A candidate is a pair of equivalent graphs with one set of inputs. Pairs have a total order by size. Answers are cached.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from polyjuice import pipeline
from polyjuice.egraph import Budget, Rewriter, Rule
from polyjuice.execution import Artifact, LoweringChoices, Outcome, Site
from polyjuice.frameworks import registry
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable, unfit_layouts
from polyjuice.frameworks.onnx.model import OPSET_SITE
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.frameworks.split import SplitProgram, graph_of
from polyjuice.inputs import make_inputs, mode_in
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import (
    Graph,
    Node,
    array_digest,
    attribute_texts,
    complexes,
    digest,
    dtypes,
    read,
    renamed,
)
from polyjuice.numerics import Mode
from polyjuice.ops import entry
from polyjuice.ops.decompose import NoDecomposition
from polyjuice.ops.spec import REQUIRED
from polyjuice.oracles import Case, InputSet, Program, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.stored import Stored

_WIDEST = ("float32", "int64", "int32", "bool", "float64", "float16", "int8", "int16", "uint8", "bfloat16")
#: Element types from the plainest to the most special.
PLAINEST = (*_WIDEST, *dtypes.WIDER_UNSIGNED, *dtypes.NARROW, *dtypes.COMPLEX)

_FRACTION = 32
_EXTREME = 64
"""The cost of values that are not small integers: ``_FRACTION`` for fractions, ``_EXTREME`` for large or non-finite
ones."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pair:
    """Graphs on the same inputs with equal outputs; a single graph where the oracle judges one program.

    ``inputs`` are arrays in the order of the graphs' inputs. ``output`` is the index of the result that shows the
    fault. ``choices`` are the lowering choices of each graph.
    """

    graphs: tuple[Graph, ...]
    inputs: tuple[np.ndarray, ...]
    output: int
    choices: tuple[LoweringChoices, ...]

    @cached_property
    def digest(self) -> str:
        """A hash of everything that the fault may depend on, except names."""
        parts = [str(self.output), *(digest(graph) for graph in self.graphs), *map(str, self.graphs[0].input_types)]
        parts += [array_digest(array) for array in self.inputs]
        sides = zip(self.graphs, self.choices, strict=True)
        parts += [str(choices.renamed(plain_names(graph)).taken) for graph, choices in sides]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def size(self) -> tuple[int, ...]:
        """The rank in the total order, with the most important number first."""
        graphs = self.graphs
        types = [t for graph in graphs for t in graph.types.values()]
        return (
            len(graphs[0].outputs),
            sum(map(len, graphs)),
            sum(bool(node.domain) for graph in graphs for node in graph.nodes),
            unshared(graphs),
            len(graphs[0].inputs) + sum(len(graph.constants) for graph in graphs),
            sum(
                t.size
                for graph in graphs
                for t in (*graph.input_types, *(graph.types[name] for name in graph.constants))
            ),
            sum(t.size for t in types),
            sum(t.rank for t in types),
            sum(PLAINEST.index(t.dtype) for t in types),
            len({(node.qualified, *attribute_texts(node.attrs)) for graph in graphs for node in graph.nodes}),
            sum(attribute_cost(node, name) for graph in graphs for node in graph.nodes for name in node.attrs),
            sum(choices.cost for choices in self.choices),
            sum(array_cost(array) for graph in graphs for array in graph.constants.values()),
            sum(array_cost(array) for array in self.inputs),
        )

    @cached_property
    def has_values(self) -> bool:
        """Whether the graphs have values on these inputs: for example, no index is out of range."""
        try:
            for graph in self.graphs:
                evaluate(graph, self.inputs)
        except EvaluationError:
            return False
        return True

    @property
    def operators(self) -> tuple[int, ...]:
        """How many operators each graph has."""
        return tuple(map(len, self.graphs))

    def with_graphs(self, graphs: Sequence[Graph]) -> Pair:
        """The pair with other graphs."""
        return replace(self, graphs=tuple(graphs))


def plain_names(graph: Graph) -> dict[str, str]:
    """Conventional names for a graph's values: x0, x1, ... for inputs, c for constants, v for results."""
    made = [name for node in graph.nodes for name in node.outputs if name]
    stems = zip("xcv", (graph.inputs, graph.constants, made), strict=True)
    return {"": ""} | {name: f"{stem}{n}" for stem, group in stems for n, name in enumerate(group)}


def unshared(graphs: Sequence[Graph]) -> int:
    """How many operators only one of two graphs applies to the same operands: the size of the rewriting.

    0 for a single graph.
    """
    if len(graphs) < 2:
        return 0
    first, second = (Counter(_applications(graph)) for graph in graphs)
    return (first - second).total() + (second - first).total()


def _applications(graph: Graph) -> Iterator[str]:
    """A hash of each node that does not depend on names."""
    keys = {name: f"input {position}" for position, name in enumerate(graph.inputs)}
    keys.update({name: f"const {graph.types[name]} {array_digest(array)}" for name, array in graph.constants.items()})
    for node in graph.nodes:
        text = repr((node.qualified, attribute_texts(node.attrs), node.identity, [keys.get(x) for x in node.inputs]))
        key = hashlib.sha256(text.encode()).hexdigest()
        keys.update((name, f"{key}:{position}") for position, name in enumerate(node.outputs))
        yield key


def attribute_cost(node: Node, name: str) -> int:
    """0 for an attribute at its default, and more for larger or less round numbers."""
    default = defaults(node).get(name, REQUIRED)
    value = node.attrs[name]
    if default is not REQUIRED and value == default:
        return 0
    values = value if isinstance(value, tuple | list) else [value]
    return 1 + sum(1 + _number_cost(v) if isinstance(v, int | float) else 1 for v in values)


def defaults(node: Node) -> Mapping[str, Any]:
    """The defaults of a node's attributes, REQUIRED where there is none."""
    op = entry(node)
    return {attr.name: attr.default for attr in op.attrs} if op else {}


def _number_cost(value: float) -> int:
    if not np.isfinite(value) or abs(value) > _FRACTION:
        return _EXTREME
    return int(abs(value)) * 2 + (value < 0) if value == int(value) else _FRACTION


def array_cost(array: np.ndarray) -> int:
    """0 for zeros, and more for larger or less round elements; an array of one repeated value costs less."""
    if complexes.is_complex(array):
        return sum(map(array_cost, complexes.parts(array)))
    wide = np.asarray(array, np.float64).ravel()
    with np.errstate(all="ignore"):
        magnitude = np.abs(wide)
        whole = wide == np.rint(wide)
        cost = np.where(whole & (magnitude <= _FRACTION / 2), 2 * magnitude + (wide < 0), float(_FRACTION))
    cost = np.where(np.isfinite(wide) & (magnitude <= _EXTREME), cost, float(_EXTREME))
    uneven = wide.size > 1 and not bool(np.all(wide == wide[0]))
    return int(cost.sum()) + uneven


def cast(array: np.ndarray, dtype: str) -> np.ndarray:
    """The array in another element type, rounded or truncated as necessary."""
    with np.errstate(all="ignore"):
        return (array if dtypes.is_complex(dtype) else array.real).astype(dtypes.to_numpy(dtype))


def with_plain_names(pair: Pair) -> Pair:
    """The same pair with conventional names of values (see :func:`plain_names`)."""
    names = list(map(plain_names, pair.graphs))
    choices = tuple(choices.renamed(to) for choices, to in zip(pair.choices, names, strict=True))
    return replace(pair, graphs=tuple(map(renamed, pair.graphs, names)), choices=choices)


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

    def right(self, pair: Pair) -> bool:
        """Whether a candidate has equal sides, and runs without any fault."""
        try:
            case = self.case(pair) if self.sound(pair, _FEW_SETS) else None
            ran = case is not None and all(program.ran for program in case.programs)
            return ran and case is not None and not pipeline.judge(case, self.session, [self.stored.record.oracle])
        except UNFIT:
            return False

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
        merged = [
            replace(next(iter(cases.values())), sets=[one for case in cases.values() for one in case.sets])
            for cases in alike.values()
        ]
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
        artifact = self.split.artifact(graph, pair.inputs) if self.split else self.lowered(pair, side)
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

    def lowered(self, pair: Pair, side: int) -> Artifact:
        """One side lowered with its choices, without layouts that do not fit the inputs. Raises Unlowerable."""
        graph, choices = pair.graphs[side], pair.choices[side]
        artifact = pipeline.lower(graph, choices, self.stored.target)
        unfit = unfit_layouts(graph, artifact, pair.inputs)
        return pipeline.lower(graph, choices.without(unfit), self.stored.target) if unfit else artifact

    def asked(self, pair: Pair) -> Pair:
        """The pair with only those choices that its lowering asks for. Raises Unlowerable."""
        artifacts = [self.lowered(pair, side) for side in range(len(pair.graphs))]
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
            gradients=outcome.gradients[i : i + 1],
            reference_gradients=outcome.reference_gradients[i : i + 1],
        )
        for i in range(count)
    ]


def _forget(kept: dict[Any, Any]) -> None:
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]


def _varies(graph: Graph) -> bool:
    return not read(graph).isdisjoint(graph.inputs)
