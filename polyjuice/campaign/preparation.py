"""The first half of a case: seed graph -> equivalent variants -> equivalence check -> artifacts."""

from __future__ import annotations

import random
import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from polyjuice import pipeline
from polyjuice.campaign.clock import Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.schedule import BATCH, NOTHING_DUE, Kinds, Levels, input_sets, levels
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import Budget, Rewriter, Rule, Saturated, Variant, distinct, graph_windows, partners
from polyjuice.execution import Artifact
from polyjuice.frameworks import registry, symbolic
from polyjuice.frameworks.forms import Form, text
from polyjuice.frameworks.lowering import UNKNOWN_SIZES, Unlowerable, repeat, repeated_axes
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.user_model import ORIGINAL, UserModel
from polyjuice.generate import disrupt
from polyjuice.generate.small import MOST_OPERATORS
from polyjuice.inputs import (
    Plan,
    draw,
    intervals,
    joined,
    make_inputs,
    mode_in,
    normal,
    plans,
    profile_of,
    profiles_alone,
    usual_profiles,
)
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, GraphError, TensorType
from polyjuice.ops import Op, matching
from polyjuice.oracles import Case, InputSet, Program
from polyjuice.oracles import find as find_oracle
from polyjuice.rulecheck import soundness
from polyjuice.rulecheck.terms import directions
from polyjuice.support import Support

#: The label of a graph with a broken constraint.
DISRUPTED = "disrupted"

#: How often the sizes of such a graph are hidden from the compiler: otherwise it refuses most before a kernel runs.
_DISRUPTED_UNKNOWN_SIZES = 0.5

_TRIALS = 100
"""The number of instances that each rule is tested on: the first few refute nearly all false rules."""

#: Chance that all variants of a case get the same lowering choices.
_ALIKE = 0.5


class Skip(Exception):
    """The case cannot be tested; the message is the reason."""


class Unsound(Exception):
    """A rule failed, or made a variant that is not equal to its seed graph; the arguments describe the problems.

    ``false`` names the user's rules that are to blame, if there are any.
    """

    def __init__(self, *problems: str, false: str = "") -> None:
        super().__init__(*problems)
        self.false = false


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
            _operators(config, compiler),
            config.timeout_s,
            Kinds(
                strategy=config.seeds[0],
                period=BATCH if compiler.fast else 1,
                slow=not compiler.fast,
                writes=registry.find(compiler.format).updates,
            ),
            config.read_limits,
        )
        self._rules = rules
        # A user who names rules wants them all used; otherwise each graph uses a share of all rules.
        self._rewriter = Rewriter(rules, Budget(rules=None) if config.only_rules else Budget())
        self._support = support
        self.target = replace(pipeline.target_of(compiler, config.opset), lacked=self._lacked)
        self._least = max(find_oracle(name).least for name in config.oracles)
        # A user who names rules, or only oracles that compare variants, wants variants.
        named = bool(config.rules or config.only_rules)
        self._varied = named or min(find_oracle(name).least for name in config.oracles) > 1
        self._plans = plans(config.profiles, {rule.ruleset for rule in rules})
        self._plans_alone = plans(config.profiles, ())
        self._clock = clock
        self._batch: tuple[int, Saturated | None] = (-1, None)

    @property
    def generated(self) -> bool:
        """Whether seed graphs are generated, so that a case may try further ones."""
        return self._seeds.generated

    def due(self, index: int) -> Levels:
        """Return the due levels of a case's factors."""
        size = self._compiler.pack  # not the option --pack, so that the programs do not depend on it
        pack = f"{self._config.seed}/{index // size}" if size > 1 else ""
        return levels(self._seeds.due(index), self._compiler.format, pack)

    def sizes(self, index: int) -> tuple[str, ...]:
        """Return the symbolic sizes of a case's model, in words."""
        program = self._seeds.program(index)
        return symbolic.described(program.sizes) if program else ()

    def seed_graph(self, index: int, attempt: int = 0) -> Graph:
        """Return the seed graph of a case. Each ``attempt`` has another one, if graphs are generated."""
        return self._seeds.graph(index, attempt, self._takes)

    def case(self, index: int, attempt: int, rewrite: bool = True) -> Case:
        """Prepare a case with one of its seed graphs, up to the programs, which do not run yet.

        Without ``rewrite``, the case has the seed graph alone, on the same inputs as with it. Raises Skip and Unsound.
        """
        if problem := self._seeds.problems.get(index):
            raise Skip(f"unreadable: {problem}")
        key = f"{self._config.seed}/{index}/{attempt}"
        alone = self._is_alone(index)
        small = self._seeds.generated and self._config.nodes <= graph_windows.LARGEST
        shared = small and self._compiler.fast and not attempt and not alone
        plan = draw(self._plans_alone if alone else self._plans, self._batch_key(index) if shared else key)
        batch = self._batch_of(index, plan) if shared and rewrite else None
        with self._clock.of("generate"):
            graph = batch.graphs[index % BATCH] if batch else self.seed_graph(index, attempt)
        if not graph.nodes:
            raise Skip(f"unsupported: {self._support.refusal or 'no operator suits'}")
        if alone and self._seeds.generated and self._config.profiles == usual_profiles(self._compiler):
            plan = replace(plan, profiles=profiles_alone(self._compiler, graph))
        if self._config.disruptive:
            return self._disrupted(index, graph, key)
        program, due = self._seeds.program(index), self.due(index)
        with self._clock.of("judge"):
            own_inputs = self._own_inputs(program, graph, key)
        if own_inputs and index % 2 == 0:
            plan = plan.restricted(own_inputs.profile)
        with self._clock.of("rewrite"):
            try:
                variants, rules = self._variants(graph, batch, index, key, plan, program, rewrite and not alone)
            except GraphError as error:
                added = [rule.name for rule in self._rules if rule.added]
                raise self._unsound(index, graph, [(None, str(error))], added) from None
        as_written = program.as_written(self._compiler.format) if program else None
        if as_written is None and not variants:
            raise Skip("unsupported: the model has no graph, and the compiler does not read it as it is")
        if as_written is None and rewrite and not alone and len(variants) < self._least:
            raise Skip("identical: all variants are the same graph")
        with self._clock.of("judge"):
            sets = self._input_sets(graph, variants, key, plan, own_inputs, due, alone)
            self._check_equivalence(index, graph, variants, sets, rules)
        with self._clock.of("lower"):
            programs = self._programs(variants, sets, key, graph, as_written, due)
        return Case(sets=sets, programs=programs, rules=rules, seed=self._config.seed, index=index)

    def _programs(
        self,
        variants: Sequence[Variant],
        sets: Sequence[InputSet],
        key: str,
        graph: Graph,
        as_written: Artifact | None,
        due: Levels,
    ) -> list[Program]:
        """Return the user's original program, if there is one, and the variants in the compiler's format.

        If a variant cannot be lowered, drop it beside an original program, and else raise Skip.
        """
        programs: list[Program] = []
        seed_forms = [text(form) for form in as_written.forms] if as_written else []
        if as_written:
            programs.append(pipeline.prepare(ORIGINAL, graph, as_written, sets, as_written=True))
            variants = [v for v in variants if v.label != ORIGINAL]
        for variant in variants:
            try:
                programs.append(self._program(variant, sets, key, seed_forms=seed_forms, due=due))
            except Unlowerable as error:
                if as_written is None:
                    raise Skip(f"unsupported: {error}") from None
        return programs

    def _program(
        self,
        variant: Variant,
        sets: Sequence[InputSet],
        key: str,
        unknown_sizes: float = UNKNOWN_SIZES,
        seed_forms: Sequence[str] = (),
        due: Levels = NOTHING_DUE,
    ) -> Program:
        """Return a variant in the compiler's format. Raises Unlowerable.

        The variants of a case all get the same lowering choices, or each its own.
        """
        alike = random.Random(f"alike {key}").random() < _ALIKE
        artifact = pipeline.lower(
            variant.graph,
            key if alike else f"{key} {variant.label}",
            self.target,
            repeated=repeated_axes(variant.graph, key, due.wanted.layout),
            unknown_sizes=unknown_sizes,
            seed_forms=seed_forms,
            wanted=due.wanted,
        )
        return pipeline.prepare(variant.label, variant.graph, artifact, sets)

    def _disrupted(self, index: int, graph: Graph, key: str) -> Case:
        """Return a case with a broken constraint. Its graph has no values and no variants. Raises Skip."""
        with self._clock.of("generate"):
            broken = disrupt(graph, key)
        if broken is None:
            raise Skip("unbroken: no operator has a constraint that an operand could break")
        rng = np.random.default_rng(list(f"disrupted {key}".encode()))
        values = [normal(t, rng) for t in broken.graph.input_types]
        sets = [InputSet(profile="normal", arrays=repeat(broken.graph, values, repeated_axes(broken.graph, key)))]
        variant = Variant(DISRUPTED, broken.graph)
        with self._clock.of("lower"):
            try:
                program = self._program(variant, sets, key, _DISRUPTED_UNKNOWN_SIZES)
            except (LookupError, TypeError, ValueError) as error:  # the operators' lowerings rely on constraints
                raise Skip(f"unsupported: {error}") from None
        return Case(sets=sets, programs=[program], broken=str(broken), seed=self._config.seed, index=index)

    def _is_alone(self, index: int) -> bool:
        """Whether the seed graph is tested without variants."""
        kind = self._seeds.kind(index)
        return self._config.extract == ORIGINAL or (kind.alone and not self._varied)

    def _batch_key(self, index: int) -> str:
        return f"{self._config.seed}/batch {index // BATCH}"

    def _batch_of(self, index: int, plan: Plan) -> Saturated | None:
        """Return the e-graph that the case's first seed graph shares; None if a rule failed on any of its graphs."""
        number = index // BATCH
        if self._batch[0] != number:
            with self._clock.of("generate"):
                graphs = [self.seed_graph(number * BATCH + i) for i in range(BATCH)]
            with self._clock.of("rewrite"):
                known = list(map(plan.ranges, graphs))
                try:
                    saturated = self._rewriter.saturate(graphs, self._batch_key(index), known, plan.rulesets)
                    self._batch = number, saturated
                except GraphError:
                    self._batch = number, None
        return self._batch[1]

    def _variants(
        self,
        graph: Graph,
        batch: Saturated | None,
        index: int,
        key: str,
        plan: Plan,
        program: UserModel | None,
        rewrite: bool,
    ) -> tuple[Sequence[Variant], Sequence[str]]:
        """Return the distinct variants to test, and the rules that fired. Raises GraphError if a rule failed."""
        if program and program.unread:
            return [], []
        if not rewrite:
            return [Variant(ORIGINAL, graph)], []
        how = (key, self._config.extract, self._config.variants, self._takes)
        if batch:
            rewriting = self._rewriter.extract(batch, index % BATCH, *how)
        else:
            known = plan.ranges(graph)
            if program and program.examples is not None:
                known = joined(known, intervals(graph, program.examples))
            rewriting = graph_windows.rewrite(self._rewriter, graph, *how, known, plan.rulesets)
        return distinct(rewriting.variants), sorted(rewriting.rules)

    def _takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the compiler takes an operator. This may run a probe."""
        with self._clock.apart():
            return self._support.takes(op, operands, results)

    def _own_inputs(self, program: UserModel | None, graph: Graph, key: str) -> InputSet | None:
        """Return the user's own inputs; None if there are none, or the graph has no value on them.

        Also None if the values of an input must repeat along an axis.
        """
        if program is None or program.examples is None or repeated_axes(graph, key):
            return None
        with suppress(EvaluationError):
            return pipeline.input_set(graph, profile_of(graph, program.examples), program.examples, self._compiler)
        return None

    def _as_usual(self, own_inputs: InputSet) -> InputSet:
        """Return the user's inputs under the profile "given", that of ordinary values."""
        return replace(own_inputs, profile="given", mode=mode_in("given", self._compiler))

    def _input_sets(
        self,
        graph: Graph,
        variants: Sequence[Variant],
        key: str,
        plan: Plan,
        own_inputs: InputSet | None,
        due: Levels,
        alone: bool,
    ) -> list[InputSet]:
        """Return the sets of inputs on which the graph has a value: the plan's and the user's. Raises Skip without any.

        Many graphs have no value on ``wrap`` integers: these are tested on the other sets.
        """
        axes = repeated_axes(graph, key, due.wanted.layout)
        others = [v.graph for v in variants]
        found: list[InputSet] = []
        problem = ""
        for number, profile in enumerate(self._profiles(graph, plan, alone)):
            try:
                key_of_set, distribution = (f"{key} {number}", "") if number else (key, due.distribution)
                drawn = make_inputs(graph, profile, key_of_set, others, plan.large, distribution)
                found.append(pipeline.input_set(graph, profile, repeat(graph, drawn, axes), self._compiler))
            except EvaluationError as error:
                problem = str(error)
        if own_inputs:  # if the rules used do not hold on the user's values, compare them only where they are ordinary
            found.append(own_inputs if plan.holds_on(own_inputs.profile) else self._as_usual(own_inputs))
        if not found:
            raise Skip(f"no value: {problem}")
        return found

    def _profiles(self, graph: Graph, plan: Plan, alone: bool) -> list[str]:
        """Return the profile of each set of inputs: all in turn, up to the number configured or the default."""
        profiles = plan.profiles_of(graph)
        slow = self._seeds.generated and not self._compiler.fast
        small = alone and len(graph.nodes) <= MOST_OPERATORS
        count = input_sets(len(profiles), self._config.input_sets, slow=slow, small=small)
        return list(islice(cycle(profiles), count))

    def _check_equivalence(
        self, index: int, graph: Graph, variants: Sequence[Variant], sets: Sequence[InputSet], fired: Sequence[str]
    ) -> None:
        """Check with the interpreter that every variant equals the seed graph: no rule is trusted. Raises Unsound."""
        problems = pipeline.equivalent(graph, [v.graph for v in variants], sets)
        unequal = [(variant, problem) for variant, problem in zip(variants, problems, strict=True) if problem]
        if unequal:
            raise self._unsound(index, graph, unequal, fired)

    def _unsound(
        self, index: int, graph: Graph, problems: Sequence[tuple[Variant | None, str]], fired: Collection[str]
    ) -> Unsound:
        """Store the problems of unequal variants, or of rules that made an ill-typed graph. Return the exception."""
        false = _refuted(self._rules, fired)
        seed_forms = [
            self._store_unsound(index, graph, variant, "\n".join([problem, *false])) for variant, problem in problems
        ]
        return Unsound(*seed_forms, false="\n".join(false))

    def _lacked(self, forms: Sequence[Form]) -> Sequence[str]:
        """Return the forms that the compiler does not take. This may run probes."""
        with self._clock.apart():
            return self._support.lacked(forms)

    def _store_unsound(self, index: int, graph: Graph, variant: Variant | None, problem: str) -> str:
        """Write a problem with rules to the folder ``unsound``, apart from the findings, and return it in words."""
        folder = self._out / "unsound" / f"{index:06d}{'-' + variant.label if variant else ''}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        graph_files.save(graph, folder / "seed.onnx")
        if variant:
            graph_files.save(variant.graph, folder / "variant.onnx")
        (folder / "problem.txt").write_text(problem + "\n", encoding="utf-8")
        return f"{folder.name}: {problem}"


def _operators(config: Config, compiler: CompilerInfo) -> list[Op]:
    """Return the operators of generated graphs: those that the user named, or all that suit the format.

    Two groups suit Torch alone: operators with a Python number as operand, which other formats express by other
    operators, and operators on complex numbers.
    """
    found = matching(config.only_operators)
    named = config.only_operators or registry.find(compiler.format).dynamic_types
    return found if named else [op for op in found if not op.promotes and not op.of_complex]


def _refuted(rules: Sequence[Rule], fired: Collection[str]) -> list[str]:
    """Return one line for each false rule of the user's that fired: its file and line, and a counterexample."""
    found: list[str] = []
    for rule in rules:
        if rule.added and rule.name in fired:
            examples = (soundness.check(direction, _TRIALS).counterexample for direction in directions(rule))
            if example := next(filter(None, examples), None):
                found.append(f"the rule {rule.name} ({rule.file}:{rule.line}) is false: {example}")
    return found
