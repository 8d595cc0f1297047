"""The first half of a case, before any compiler sees it: seed graph -> equivalent variants -> gate -> artifacts."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from polyjuice import formats
from polyjuice.campaign.clock import Clock
from polyjuice.campaign.config import ORIGINAL, Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import Budget, Rewriter, Rule, Saturated, Variant, distinct, partners, windows
from polyjuice.execution import Artifact, Outcome
from polyjuice.gate import difference
from polyjuice.generate import disrupt
from polyjuice.inputs import make_inputs, mode, normal, ranges
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, TensorType
from polyjuice.lower import UNKNOWN_SIZES, Unlowerable, repeat, repeated_axes
from polyjuice.numerics import Analyses, Mode
from polyjuice.ops import Op, matching
from polyjuice.oracles import ORACLES, Case, Spelling, Tested
from polyjuice.support import Support
from polyjuice.triage.spelling import spelled

#: Generated graphs that share an e-graph, by index: cases 0 to 15, 16 to 31, ... (it costs each a fraction). That
#: counts where the compiler is fast. Elsewhere a case has its own: it then need not wait until the compiler was asked
#: for the operators of fifteen more.
BATCH = 16

#: The label of a graph with a broken constraint.
DISRUPTED = "disrupted"

#: How often a compiler is not told the sizes of such a graph: otherwise it refuses most before a kernel sees them.
_DISRUPTED_UNKNOWN_SIZES = 0.5

#: Chance that the variants of a case are spelled in the same way, as far as that can be.
_ALIKE = 0.5


class Skip(Exception):
    """The case cannot be tested; the message is the reason."""


class Unsound(Exception):
    """A rule failed, or made a variant that is not equal to its seed graph; the arguments say how."""


@dataclass(frozen=True)
class Prepared:
    """The variants of a case, in the compiler's format, and what to run them on; ``profiles`` is that of each set.

    ``rules`` are those that fired in the e-graph; ``modes`` is what is known of results on each set of inputs.
    ``broken`` says which constraint the one variant breaks on purpose, if it does.
    """

    variants: Sequence[Variant]
    rules: Sequence[str]
    profiles: Sequence[str]
    inputs: Sequence[tuple[np.ndarray, ...]]
    artifacts: Sequence[Artifact]
    spellings: Sequence[Spelling]
    modes: Sequence[Mode]
    broken: str = ""

    def case(self, outcomes: Sequence[Outcome]) -> Case:
        """What oracles judge: the variants with what became of each."""
        tested = [
            Tested(v.label, v.graph, artifact, Analyses(v.graph, self.inputs, self.modes), outcome, spelling)
            for v, artifact, outcome, spelling in zip(
                self.variants, self.artifacts, outcomes, self.spellings, strict=True
            )
        ]
        return Case(self.profiles, self.inputs, tested, self.broken)


class Preparation:
    """Prepares the cases of one campaign, each from its index alone."""

    def __init__(
        self,
        config: Config,
        out: Path,
        rules: Sequence[Rule],
        compiler: CompilerInfo,
        support: Support,
        clock: Clock,
    ) -> None:
        """Read the seeds. Raises FormatError, ValueError."""
        self._config = config
        self._out = out
        self._compiler = compiler
        self._seeds = Seeds(
            config.seeds, config.nodes, config.seed, out, partners(rules), matching(config.only_operators)
        )
        # Who names rules wants them used; otherwise each graph takes a share of all.
        self._rewriter = Rewriter(rules, Budget(rules=None) if config.only_rules else Budget())
        self._support = support
        self._least = max(ORACLES[name].least for name in config.oracles)
        self._profiles = [profile for profile in config.profiles for _ in range(config.input_sets)]
        self._modes = [mode(profile, compiler.format) for profile in self._profiles]
        self._clock = clock
        self._batch: tuple[int, Saturated | None] = (-1, None)

    @property
    def generated(self) -> bool:
        """Whether there are further seed graphs for a case to try."""
        return self._seeds.generated

    def case(self, index: int, attempt: int) -> Prepared:
        """Prepare a case with one of the seed graphs that it may try. Raises Skip and Unsound."""
        key = f"{self._config.seed}/{index}/{attempt}"
        rewritten = self._config.extract != ORIGINAL
        small = rewritten and self._seeds.generated and self._config.nodes <= windows.LARGEST
        batch = self._batch_of(index) if small and self._compiler.fast and not attempt else None
        with self._clock.of("generate"):
            graph = batch.graphs[index % BATCH] if batch else self._seeds.graph(index, attempt, self._takes)
        if not graph.nodes:
            raise Skip(f"unsupported: {self._support.refusal or 'no operator suits'}")
        if self._config.disruptive:
            return self._disrupted(graph, key)
        with self._clock.of("rewrite"):
            try:
                variants, rules = self._variants(graph, batch, index, key)
            except GraphError as error:
                raise Unsound(self._store_unsound(index, graph, None, str(error))) from None
        if len(variants) < self._least:
            raise Skip("identical: all variants are the same graph")
        with self._clock.of("judge"):
            inputs = self._inputs(graph, variants, key)
            self._gate(index, graph, variants, inputs)
        with self._clock.of("lower"):
            try:
                spellings = [self._spelling(v, key) for v in variants]
                artifacts = [self._spelled(v, spelling) for v, spelling in zip(variants, spellings, strict=True)]
            except Unlowerable as error:
                raise Skip(f"unsupported: {error}") from None
        return Prepared(variants, rules, self._profiles, inputs, artifacts, spellings, self._modes)

    def _disrupted(self, graph: Graph, key: str) -> Prepared:
        """A graph with a broken constraint, which has no values: nothing is rewritten, or evaluated. Raises Skip."""
        with self._clock.of("generate"):
            broken = disrupt(graph, key)
        if broken is None:
            raise Skip("unbroken: no operator has a constraint that an operand could break")
        rng = np.random.default_rng(list(f"disrupted {key}".encode()))
        values = [normal(t, rng) for t in broken.graph.input_types]
        inputs = [repeat(broken.graph, values, repeated_axes(broken.graph, key))]
        variant = Variant(DISRUPTED, broken.graph)
        spelling = self._spelling(variant, key, _DISRUPTED_UNKNOWN_SIZES)
        with self._clock.of("lower"):
            try:
                artifact = self._spelled(variant, spelling)
            except (LookupError, TypeError, ValueError) as error:  # spellings rely on constraints
                raise Skip(f"unsupported: {error}") from None
        return Prepared([variant], [], ["normal"], inputs, [artifact], [spelling], [Mode()], str(broken))

    def _batch_of(self, index: int) -> Saturated | None:
        """The e-graph that the case's first seed graph shares; None where a rule failed, on whichever graph."""
        number = index // BATCH
        if self._batch[0] != number:
            with self._clock.of("generate"):
                graphs = [self._seeds.graph(number * BATCH + i, 0, self._takes) for i in range(BATCH)]
            with self._clock.of("rewrite"):
                try:
                    key = f"{self._config.seed}/batch {number}"
                    self._batch = number, self._rewriter.saturate(graphs, key, list(map(self._ranges, graphs)))
                except GraphError:
                    self._batch = number, None
        return self._batch[1]

    def _variants(
        self, graph: Graph, batch: Saturated | None, index: int, key: str
    ) -> tuple[Sequence[Variant], Sequence[str]]:
        """The variants to test, each another graph, and the rules that fired. Raises GraphError where one failed."""
        if self._config.extract == ORIGINAL:
            return [Variant(ORIGINAL, graph)], []
        how = (key, self._config.extract, self._config.variants, self._takes)
        if batch:
            rewriting = self._rewriter.extract(batch, index % BATCH, *how)
        else:
            rewriting = windows.rewrite(self._rewriter, graph, *how, self._ranges(graph))
        return distinct(rewriting.variants), sorted(rewriting.rules)

    def _ranges(self, graph: Graph) -> dict[str, tuple[float, float]]:
        return ranges(graph, self._config.profiles)

    def _takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the compiler takes an operator; it may have to be asked."""
        with self._clock.apart():
            return self._support.takes(op, operands, results)

    def _inputs(self, graph: Graph, variants: Sequence[Variant], key: str) -> list[tuple[np.ndarray, ...]]:
        axes = repeated_axes(graph, key)
        others = [v.graph for v in variants]
        try:
            return [
                repeat(graph, make_inputs(graph, profile, f"{key} {number}" if number else key, others), axes)
                for number, profile in enumerate(self._profiles)
            ]
        except EvaluationError as error:
            raise Skip(f"no value: {error}") from None

    def _gate(
        self, index: int, graph: Graph, variants: Sequence[Variant], inputs: Sequence[tuple[np.ndarray, ...]]
    ) -> None:
        """Trust no rule: the interpreter must find every variant equal to the seed graph, before a compiler sees it."""
        try:
            values = [evaluate(graph, x, "float64") for x in inputs]
        except EvaluationError as error:
            raise Skip(f"no value: {error}") from None
        problems = ((v, difference(graph, v.graph, inputs, values, self._modes)) for v in variants)
        unsound = [self._store_unsound(index, graph, v, problem) for v, problem in problems if problem]
        if unsound:
            raise Unsound(*unsound)

    def _spelling(self, variant: Variant, key: str, unknown_sizes: float = UNKNOWN_SIZES) -> Spelling:
        """The idioms of all variants of a case are chosen alike, or for each variant anew."""
        alike = random.Random(f"alike {key}").random() < _ALIKE
        chosen = key if alike else f"{key} {variant.label}"
        return Spelling(chosen, repeated_axes(variant.graph, key), unknown_sizes)

    def _spelled(self, variant: Variant, spelling: Spelling) -> Artifact:
        return spelled(variant.graph, spelling, self._compiler, self._config.opset)

    def _store_unsound(self, index: int, graph: Graph, variant: Variant | None, problem: str) -> str:
        """Keep what our own rules got wrong, apart from the findings."""
        folder = self._out / "unsound" / f"{index:06d}{'-' + variant.label if variant else ''}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        formats.save(graph, folder / "seed.onnx")
        if variant:
            formats.save(variant.graph, folder / "variant.onnx")
        (folder / "problem.txt").write_text(problem + "\n", encoding="utf-8")
        return f"{folder.name}: {problem}"
