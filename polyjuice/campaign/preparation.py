"""The first half of a case: seed graph -> equivalent variants -> equivalence check -> artifacts."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from polyjuice import formats
from polyjuice.campaign.clock import Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import Budget, Rewriter, Rule, Saturated, Variant, distinct, partners, windows
from polyjuice.equivalence import difference
from polyjuice.execution import Artifact, Outcome
from polyjuice.generate import disrupt
from polyjuice.given import ORIGINAL, UserModel
from polyjuice.inputs import GIVEN, Plan, draw, given_profile, intervals, joined, make_inputs, mode_in, normal, plans
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, TensorType
from polyjuice.lower import UNKNOWN_SIZES, Unlowerable, repeat, repeated_axes
from polyjuice.lower.forms import text
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

    A program that is run as its owner wrote it has no spelling.
    ``rules`` are those that fired in the e-graph; ``modes`` is what is known of results on each set of inputs.
    ``broken`` says which constraint the one variant breaks on purpose, if it does.
    """

    variants: Sequence[Variant]
    rules: Sequence[str]
    profiles: Sequence[str]
    inputs: Sequence[tuple[np.ndarray, ...]]
    artifacts: Sequence[Artifact]
    spellings: Sequence[Spelling | None]
    modes: Sequence[Mode]
    broken: str = ""

    def on_its_own_inputs(self) -> Prepared | None:
        """The same programs on what their owner gave alone; None where that is nothing, or all that there is."""
        own = next((at for at, profile in enumerate(self.profiles) if profile in GIVEN), None)
        if own is None or len(self.profiles) == 1:
            return None
        return replace(self, profiles=[self.profiles[own]], inputs=[self.inputs[own]], modes=[self.modes[own]])

    def case(self, outcomes: Sequence[Outcome]) -> Case:
        """What oracles judge: the variants with what became of each, but for those that the compiler does not take."""
        tested = [
            Tested(v.label, v.graph, artifact, Analyses(v.graph, self.inputs, self.modes), outcome, spelling)
            for v, artifact, outcome, spelling in zip(
                self.variants, self.artifacts, outcomes, self.spellings, strict=True
            )
            if outcome.status != "unsupported" or self.broken
        ]
        return Case(self.profiles, self.inputs, tested, self.broken)


@dataclass(frozen=True)
class _InputSet:
    """One set of inputs: its profile, what is known of results on it, and the seed graph's outputs in float64."""

    profile: str
    mode: Mode
    arrays: tuple[np.ndarray, ...]
    values: Sequence[np.ndarray]


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
            config.seeds,
            config.nodes,
            config.seed,
            out,
            partners(rules),
            matching(config.only_operators),
            config.timeout_s,
        )
        # Who names rules wants them used; otherwise each graph takes a share of all.
        self._rewriter = Rewriter(rules, Budget(rules=None) if config.only_rules else Budget())
        self._support = support
        self._least = max(ORACLES[name].least for name in config.oracles)
        used = () if config.extract == ORIGINAL else {rule.ruleset for rule in rules}
        self._plans = plans(config.profiles, used)
        self._clock = clock
        self._batch: tuple[int, Saturated | None] = (-1, None)

    @property
    def generated(self) -> bool:
        """Whether there are further seed graphs for a case to try."""
        return self._seeds.generated

    def case(self, index: int, attempt: int) -> Prepared:
        """Prepare a case with one of the seed graphs that it may try. Raises Skip and Unsound."""
        if problem := self._seeds.problems.get(index):
            raise Skip(f"unreadable: {problem}")
        key = f"{self._config.seed}/{index}/{attempt}"
        rewritten = self._config.extract != ORIGINAL
        small = rewritten and self._seeds.generated and self._config.nodes <= windows.LARGEST
        shared = small and self._compiler.fast and not attempt
        plan = draw(self._plans, self._batch_key(index) if shared else key)
        batch = self._batch_of(index, plan) if shared else None
        with self._clock.of("generate"):
            graph = batch.graphs[index % BATCH] if batch else self._seeds.graph(index, attempt, self._takes)
        if not graph.nodes:
            raise Skip(f"unsupported: {self._support.refusal or 'no operator suits'}")
        if self._config.disruptive:
            return self._disrupted(graph, key)
        program = self._seeds.program(index)
        with self._clock.of("judge"):
            given = self._given(program, graph, key)
        if given and index % 2 == 0:
            plan = plan.restricted(given.profile)
        with self._clock.of("rewrite"):
            try:
                variants, rules = self._variants(graph, batch, index, key, plan, program)
            except GraphError as error:
                raise Unsound(self._store_unsound(index, graph, None, str(error))) from None
        as_given = program.as_given(self._compiler.format) if program else None
        if as_given is None and not variants:
            raise Skip("unsupported: the model has no graph, and the compiler does not read it as it is")
        if as_given is None and len(variants) < self._least:
            raise Skip("identical: all variants are the same graph")
        with self._clock.of("judge"):
            sets = self._input_sets(graph, variants, key, plan, given)
            self._gate(index, graph, variants, sets)
        with self._clock.of("lower"):
            lowered = self._lowered(variants, key, graph, as_given)
        variants, artifacts, spellings = zip(*lowered, strict=True)
        profiles, modes, inputs = zip(*((x.profile, x.mode, x.arrays) for x in sets), strict=True)
        return Prepared(variants, rules, profiles, inputs, artifacts, spellings, modes)

    def _lowered(
        self, variants: Sequence[Variant], key: str, graph: Graph, as_given: Artifact | None
    ) -> list[tuple[Variant, Artifact, Spelling | None]]:
        """The variants in the compiler's format, behind the program that their graph stands for as it was given.

        What the format cannot say is left out. Raises Skip where it says no program, or not enough to compare.
        """
        lowered: list[tuple[Variant, Artifact, Spelling | None]] = []
        said = [text(form) for form in as_given.forms] if as_given else []
        if as_given:
            lowered.append((Variant(ORIGINAL, graph), as_given, None))
            variants = [v for v in variants if v.label != ORIGINAL]
        for variant in variants:
            spelling = self._spelling(variant, key, said=said)
            try:
                lowered.append((variant, *self._spelled(variant, spelling)))
            except Unlowerable as error:
                if as_given is None:
                    raise Skip(f"unsupported: {error}") from None
        return lowered

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
                artifact, spelling = self._spelled(variant, spelling)
            except (LookupError, TypeError, ValueError) as error:  # spellings rely on constraints
                raise Skip(f"unsupported: {error}") from None
        return Prepared([variant], [], ["normal"], inputs, [artifact], [spelling], [Mode()], str(broken))

    def _batch_key(self, index: int) -> str:
        return f"{self._config.seed}/batch {index // BATCH}"

    def _batch_of(self, index: int, plan: Plan) -> Saturated | None:
        """The e-graph that the case's first seed graph shares; None where a rule failed, on whichever graph."""
        number = index // BATCH
        if self._batch[0] != number:
            with self._clock.of("generate"):
                graphs = [self._seeds.graph(number * BATCH + i, 0, self._takes) for i in range(BATCH)]
            with self._clock.of("rewrite"):
                known = list(map(plan.ranges, graphs))
                try:
                    saturated = self._rewriter.saturate(graphs, self._batch_key(index), known, plan.rulesets)
                    self._batch = number, saturated
                except GraphError:
                    self._batch = number, None
        return self._batch[1]

    def _variants(
        self, graph: Graph, batch: Saturated | None, index: int, key: str, plan: Plan, program: UserModel | None
    ) -> tuple[Sequence[Variant], Sequence[str]]:
        """The variants to test, each another graph, and the rules that fired. Raises GraphError where one failed."""
        if program and program.unread:
            return [], []
        if self._config.extract == ORIGINAL:
            return [Variant(ORIGINAL, graph)], []
        how = (key, self._config.extract, self._config.variants, self._takes)
        if batch:
            rewriting = self._rewriter.extract(batch, index % BATCH, *how)
        else:
            known = plan.ranges(graph)
            if program and program.examples is not None:
                known = joined(known, intervals(graph, program.examples))
            rewriting = windows.rewrite(self._rewriter, graph, *how, known, plan.rulesets)
        return distinct(rewriting.variants), sorted(rewriting.rules)

    def _takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the compiler takes an operator; it may have to be asked."""
        with self._clock.apart():
            return self._support.takes(op, operands, results)

    def _given(self, program: UserModel | None, graph: Graph, key: str) -> _InputSet | None:
        """What the program's owner gave; None where that is nothing, or no value of the graph.

        It is left out where the values of an input are to repeat along an axis.
        """
        if program is None or program.examples is None or repeated_axes(graph, key):
            return None
        with suppress(EvaluationError):
            return self._input_set(graph, given_profile(graph, program.examples), program.examples)
        return None

    def _input_set(self, graph: Graph, profile: str, arrays: tuple[np.ndarray, ...]) -> _InputSet:
        """Raises EvaluationError."""
        known = mode_in(profile, self._compiler)
        return _InputSet(profile, known, arrays, evaluate(graph, arrays, "float64"))

    def _as_usual(self, given: _InputSet) -> _InputSet:
        """The same inputs, under the profile of ordinary values."""
        return replace(given, profile="given", mode=mode_in("given", self._compiler))

    def _input_sets(
        self, graph: Graph, variants: Sequence[Variant], key: str, plan: Plan, given: _InputSet | None
    ) -> list[_InputSet]:
        """The sets of inputs on which the graph has a value: the plan's, and the model's own. Raises Skip without any.

        Many graphs have no value on ``wrap`` integers, and are tested on the other sets.
        """
        axes = repeated_axes(graph, key)
        others = [v.graph for v in variants]
        profiles = [profile for profile in plan.profiles_of(graph) for _ in range(self._config.input_sets)]
        found: list[_InputSet] = []
        problem = ""
        for number, profile in enumerate(profiles):
            try:
                drawn = make_inputs(graph, profile, f"{key} {number}" if number else key, others, plan.large)
                found.append(self._input_set(graph, profile, repeat(graph, drawn, axes)))
            except EvaluationError as error:
                problem = str(error)
        if given:  # where other rules were used, too, what is not as usual is left open
            found.append(given if plan.holds_on(given.profile) else self._as_usual(given))
        if not found:
            raise Skip(f"no value: {problem}")
        return found

    def _gate(self, index: int, graph: Graph, variants: Sequence[Variant], sets: Sequence[_InputSet]) -> None:
        """Trust no rule: the interpreter must find every variant equal to the seed graph, before a compiler sees it."""
        inputs, values, modes = zip(*((x.arrays, x.values, x.mode) for x in sets), strict=True)
        problems = ((v, difference(graph, v.graph, inputs, values, modes)) for v in variants)
        unsound = [self._store_unsound(index, graph, v, problem) for v, problem in problems if problem]
        if unsound:
            raise Unsound(*unsound)

    def _spelling(
        self, variant: Variant, key: str, unknown_sizes: float = UNKNOWN_SIZES, said: Sequence[str] = ()
    ) -> Spelling:
        """The idioms of all variants of a case are chosen alike, or for each variant anew."""
        alike = random.Random(f"alike {key}").random() < _ALIKE
        chosen = key if alike else f"{key} {variant.label}"
        return Spelling(chosen, repeated_axes(variant.graph, key), unknown_sizes, said=said)

    def _spelled(self, variant: Variant, spelling: Spelling) -> tuple[Artifact, Spelling]:
        """A variant in the compiler's format, without the forms that the compiler does not take."""
        artifact = spelled(variant.graph, spelling, self._compiler, self._config.opset)
        with self._clock.apart():
            lacked = self._support.lacked(artifact.forms)
        if not lacked:
            return artifact, spelling
        spelling = replace(spelling, avoided=lacked)
        return spelled(variant.graph, spelling, self._compiler, self._config.opset), spelling

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
