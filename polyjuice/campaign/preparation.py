"""The first half of a case: seed graph -> equivalent variants -> inputs -> equivalence check -> programs."""

from __future__ import annotations

import random
import shutil
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from polyjuice import pipeline, targets
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import BATCH, Kinds, coverage_target, input_sets
from polyjuice.campaign.schedule import Clock
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import (
    Rewriter,
    Rewriting,
    Rule,
    Saturated,
    Variant,
    distinct,
    graph_windows,
    is_searched,
    partners,
)
from polyjuice.egraph.terms import directions
from polyjuice.execution import Artifact
from polyjuice.frameworks import registry, symbolic
from polyjuice.frameworks.forms import text
from polyjuice.frameworks.lowering import NOTHING, UNKNOWN_SIZES, CoverageTarget, Unlowerable, repeat, repeated_axes
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.outline import FUNCTIONS, twins
from polyjuice.frameworks.user_model import SEED_GRAPH, UserModel
from polyjuice.generate import disrupt
from polyjuice.generate.small import MOST_OPERATORS
from polyjuice.generate.targeted import Aims
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
from polyjuice.ir import Graph, GraphError
from polyjuice.ops import Op, matching
from polyjuice.oracles import Case, InputSet, Program
from polyjuice.oracles import find as find_oracle
from polyjuice.rulecheck import soundness
from polyjuice.support import Support
from polyjuice.targets.patterns import patterns

#: The label of a graph with a broken constraint.
DISRUPTED = "disrupted"

#: How often the sizes of such a graph are hidden from the compiler: otherwise it refuses most before a kernel runs.
_DISRUPTED_UNKNOWN_SIZES = 0.5

#: How many constraints of a graph are broken, each by itself, until a program with one can be written.
_CONSTRAINTS = 8

_TRIALS = 100
"""The number of instances that each rule is tested on: the first few refute nearly all false rules."""

#: Chance that all variants of a case get the same lowering choices.
_ALIKE = 0.5


NOT_LOADED = "not loaded"
"""The reason for skipping the cases of a user's model that cannot be read, or that the framework does not take."""


class Skip(Exception):
    """The case cannot be tested; the message is the reason."""


class Unsound(Exception):
    """A rule failed, or made a variant that is not equal to its seed graph; the arguments describe the problems.

    ``false`` names the user's rules that are to blame, if there are any.
    """

    def __init__(self, *problems: str, false: str = "") -> None:
        super().__init__(*problems)
        self.false = false


@dataclass(frozen=True, kw_only=True)
class Seed:
    """The seed graph of a case, and what is decided with it: the key of its random choices, and the plan of its inputs.

    It has no variants if it is ``alone``. A ``batch`` is the e-graph that it shares with other seed graphs. Of a user's
    ``model``, ``user_program`` is the program, if the compiler reads it, and ``own_inputs`` has the inputs.
    """

    index: int
    key: str
    graph: Graph
    alone: bool
    plan: Plan
    target: CoverageTarget
    batch: Saturated | None
    model: UserModel | None
    user_program: Artifact | None
    own_inputs: InputSet | None
    part: str
    changes: Sequence[str]


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
        """Read the seeds, and what the compiler's parts look for. Raises FormatError, ValueError, RuleError."""
        self._config = config
        self._out = out
        operators = _operators(config, compiler)
        own = targets.of_compiler(compiler.target_file, map(Path, config.targets))
        self.parts = own.parts
        """The names of the compiler's parts, as far as its target files name them."""
        self._compiler = compiler
        self._seeds = Seeds(
            config.seeds,
            config.nodes,
            config.seed,
            out,
            partners(rules),
            operators,
            config.timeout_s,
            Kinds(
                strategy=config.seeds[0],
                period=1 if compiler.pack > 1 else BATCH,
                slow=not compiler.fast,
                packs=compiler.pack > 1,
                writes=registry.find(compiler.format).updates and "memory" not in compiler.lacks,
            ),
            Aims.within(operators, own.targets, targets.of_every_compiler()),
        )
        self._rules = rules
        written = patterns(own.targets) if config.extract == "targets" else ()
        self._rewriter = Rewriter(rules, config.budget, patterns=written)
        self._support = support
        self.target = replace(pipeline.target_of(compiler, config.opset), lacked=support.lacked)
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

    def set_acted(self, acted: Mapping[int, Mapping[str, int]]) -> None:
        """Set how often each part of the compiler acted before each round of cases."""
        self._seeds.acted = acted

    def target_of(self, index: int) -> CoverageTarget:
        """Return what the programs of a case should cover."""
        size = self._compiler.pack  # not the option --pack, so that the programs do not depend on it
        pack = f"{self._config.seed}/{index // size}" if size > 1 else ""
        return coverage_target(self._seeds.due(index), self._compiler.format, pack)

    def sizes(self, index: int) -> tuple[str, ...]:
        """Return the symbolic sizes of a case's model, in words."""
        program = self._seeds.program(index)
        return symbolic.described(program.sizes) if program else ()

    def case(self, index: int, attempt: int) -> Case:
        """Prepare a case with one of its seed graphs, up to the programs, which do not run yet.

        Raises Skip if this graph cannot be tested, and Unsound if a variant is not equal to it.
        """
        seed = self._choose(index, attempt)
        if self._config.disruptive:
            return self._disrupted(seed)
        variants, rules = self._rewrite(seed)
        sets = self._draw_inputs(seed, variants)
        self._check_equivalence(seed, variants, sets, rules)
        programs = self._lower(seed, variants, sets)
        return Case(
            sets=sets,
            programs=programs,
            rules=rules,
            seed=self._config.seed,
            index=index,
            part=seed.part or next((variant.part for variant in variants if variant.part), ""),
            changes=seed.changes,
        )

    def _choose(self, index: int, attempt: int) -> Seed:
        """Return the seed graph of a case, and all that is decided with it. Raises Skip."""
        if problem := self._seeds.problems.get(index):
            raise Skip(f"{NOT_LOADED}: {problem}")
        key, generated = f"{self._config.seed}/{index}/{attempt}", self._seeds.generated
        unsaturated = self._config.extract in (FUNCTIONS, SEED_GRAPH)
        alone = unsaturated or (self._seeds.kind(index).alone and not self._varied)
        small = generated and self._config.nodes <= graph_windows.LARGEST
        batch_key = f"{self._config.seed}/batch {index // BATCH}"
        shares = small and self._compiler.pack == 1 and not attempt and not alone
        plan = draw(self._plans_alone if alone else self._plans, batch_key if shares else key)
        batch = self._saturated(index // BATCH, batch_key, plan) if shares else None
        with self._clock.of("generate"):
            aimed = self._seeds.aimed(index, attempt, self._support.takes) if self._seeds.aims(index) else None
            graph = aimed.graph if aimed else batch.graphs[index % BATCH] if batch else self._graph(index, attempt)
        if not graph.nodes:
            raise Skip(f"unsupported: {self._support.refusal or 'no operator suits'}")
        if alone and generated and self._config.profiles == usual_profiles(self._compiler):
            plan = replace(plan, profiles=profiles_alone(self._compiler, graph))
        model = self._seeds.program(index)
        with self._clock.of("judge"):
            own_inputs = self._own_inputs(model, graph, key)
        if own_inputs and index % 2 == 0:
            plan = plan.restricted(own_inputs.profile)
        return Seed(
            index=index,
            key=key,
            graph=graph,
            alone=alone,
            plan=plan,
            target=self.target_of(index),
            batch=batch,
            model=model,
            user_program=model.user_program(self._compiler.format) if model else None,
            own_inputs=own_inputs,
            part=aimed.part if aimed else "",
            changes=aimed.changes if aimed else (),
        )

    def _graph(self, index: int, attempt: int = 0) -> Graph:
        return self._seeds.graph(index, attempt, self._support.takes)

    def _saturated(self, number: int, key: str, plan: Plan) -> Saturated | None:
        """Return the e-graph that a batch of first seed graphs shares; None if a rule failed on any of them."""
        if self._batch[0] != number:
            with self._clock.of("generate"):
                graphs = [self._graph(number * BATCH + i) for i in range(BATCH)]
            with self._clock.of("rewrite"):
                known = list(map(plan.ranges, graphs))
                try:
                    self._batch = number, self._rewriter.saturate(graphs, key, known, plan.rulesets, is_searched(key))
                except GraphError:
                    self._batch = number, None
        return self._batch[1]

    def _own_inputs(self, model: UserModel | None, graph: Graph, key: str) -> InputSet | None:
        """Return None where there are none, the graph has no value on them, or values must repeat along an axis."""
        if model is None or model.examples is None or repeated_axes(graph, key):
            return None
        with suppress(EvaluationError):
            return pipeline.input_set(graph, profile_of(graph, model.examples), model.examples, self._compiler)
        return None

    def _rewrite(self, seed: Seed) -> tuple[Sequence[Variant], Sequence[str]]:
        """Return the distinct variants to test, and the rules that fired. Raises Skip, and Unsound if a rule failed."""
        variants: Sequence[Variant] = [] if seed.model and seed.model.unread else [Variant(SEED_GRAPH, seed.graph)]
        rules: Sequence[str] = []
        if variants and not seed.alone:
            with self._clock.of("rewrite"):
                try:
                    rewriting = self._rewriting(seed)
                except GraphError as error:
                    added = [rule.name for rule in self._rules if rule.added]
                    raise self._unsound(seed, [(None, str(error))], added) from None
                variants, rules = distinct(rewriting.variants), sorted(rewriting.rules)
        if self._config.extract == FUNCTIONS:
            variants = [Variant(label, seed.graph) for label in (SEED_GRAPH, FUNCTIONS)]
        if seed.user_program is None and not variants:
            raise Skip("unsupported: the model has no graph, and the compiler does not read it as it is")
        if seed.user_program is None and not seed.alone and len(variants) < self._least:
            raise Skip("identical: all variants are the same graph")
        return variants, rules

    def _rewriting(self, seed: Seed) -> Rewriting:
        how = (seed.key, self._config.extract, self._config.variants, self._support.takes)
        if seed.batch:
            return self._rewriter.extract(seed.batch, seed.index % BATCH, *how)
        known = seed.plan.ranges(seed.graph)
        if seed.model and seed.model.examples is not None:
            known = joined(known, intervals(seed.graph, seed.model.examples))
        return graph_windows.rewrite(self._rewriter, seed.graph, *how, known, seed.plan.rulesets)

    def _draw_inputs(self, seed: Seed, variants: Sequence[Variant]) -> list[InputSet]:
        """Raises Skip without any. Many graphs have no value on ``wrap`` integers: these use the other sets."""
        graph, plan, own = seed.graph, seed.plan, seed.own_inputs
        profiles = plan.profiles_of(graph)
        slow = self._seeds.generated and not self._compiler.fast
        small = seed.alone and len(graph.nodes) <= MOST_OPERATORS
        count = input_sets(len(profiles), self._config.input_sets, slow=slow, small=small)
        axes = repeated_axes(graph, seed.key, seed.target.layout)
        others = [variant.graph for variant in variants]
        found: list[InputSet] = []
        problem = ""
        with self._clock.of("judge"):
            for number, profile in enumerate(islice(cycle(profiles), count)):
                key, distribution = (f"{seed.key} {number}", "") if number else (seed.key, seed.target.distribution)
                try:
                    drawn = make_inputs(graph, profile, key, others, plan.large, distribution)
                    found.append(pipeline.input_set(graph, profile, repeat(graph, drawn, axes), self._compiler))
                except EvaluationError as error:
                    problem = str(error)
        if own and plan.holds_on(own.profile):
            found.append(own)
        elif own:  # the rules used do not hold on the user's values: compare them only where they are ordinary
            found.append(replace(own, profile="given", mode=mode_in("given", self._compiler)))
        if not found:
            raise Skip(f"no value: {problem}")
        return found

    def _check_equivalence(
        self, seed: Seed, variants: Sequence[Variant], sets: Sequence[InputSet], fired: Sequence[str]
    ) -> None:
        """Check with the interpreter that every variant equals the seed graph: no rule is trusted. Raises Unsound."""
        with self._clock.of("judge"):
            problems = pipeline.equivalent(seed.graph, [v.graph for v in variants], sets)
            unequal = [(variant, problem) for variant, problem in zip(variants, problems, strict=True) if problem]
            if unequal:
                raise self._unsound(seed, unequal, fired)

    def _lower(self, seed: Seed, variants: Sequence[Variant], sets: Sequence[InputSet]) -> list[Program]:
        """Drop a variant that cannot be lowered, if there is an original program; else raise Skip."""
        programs: list[Program] = []
        if seed.user_program:
            programs.append(pipeline.prepare(SEED_GRAPH, seed.graph, seed.user_program, sets, user_program=True))
            variants = [v for v in variants if v.label != SEED_GRAPH]
        with self._clock.of("lower"):
            for variant in variants:
                try:
                    programs.append(self._program(seed, variant, sets))
                except Unlowerable as error:
                    if seed.user_program is None:
                        raise Skip(f"unsupported: {error}") from None
        if self._config.extract == FUNCTIONS and len({program.artifact.source for program in programs}) == 1:
            raise Skip("identical: no part of the graph can be a function")
        return programs

    def _program(self, seed: Seed, variant: Variant, sets: Sequence[InputSet]) -> Program:
        """The variants of a case all get the same lowering choices, or each its own. Raises Unlowerable."""
        of_twins = self._config.extract == FUNCTIONS
        alike = of_twins or random.Random(f"alike {seed.key}").random() < _ALIKE
        wanted = NOTHING if self._config.disruptive else seed.target
        artifact = pipeline.lower(
            variant.graph,
            seed.key if alike else f"{seed.key} {variant.label}",
            self.target,
            repeated=repeated_axes(variant.graph, seed.key, wanted.layout),
            unknown_sizes=_DISRUPTED_UNKNOWN_SIZES if self._config.disruptive else UNKNOWN_SIZES,
            seed_forms=[text(form) for form in seed.user_program.forms] if seed.user_program else (),
            wanted=wanted,
        )
        if of_twins and artifact.choices is not None:
            plain, other = twins(variant.graph, artifact.choices, seed.key)
            artifact = pipeline.lower(variant.graph, other if variant.label == FUNCTIONS else plain, self.target)
        return pipeline.prepare(variant.label, variant.graph, artifact, sets)

    def _disrupted(self, seed: Seed) -> Case:
        """Return a case with a broken constraint. Its graph has no values and no variants. Raises Skip.

        Lowerings rely on constraints: where one fails, another constraint is broken.
        """
        problem = Skip("unbroken: no operator has a constraint that an operand could break")
        for number in range(_CONSTRAINTS):
            with self._clock.of("generate"):
                broken = disrupt(seed.graph, f"{seed.key} {number}" if number else seed.key)
            if broken is None:
                break
            rng = np.random.default_rng(list(f"disrupted {seed.key}".encode()))
            values = [normal(t, rng) for t in broken.graph.input_types]
            sets = [
                InputSet(profile="normal", arrays=repeat(broken.graph, values, repeated_axes(broken.graph, seed.key)))
            ]
            with self._clock.of("lower"):
                try:
                    program = self._program(seed, Variant(DISRUPTED, broken.graph), sets)
                except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                    problem = Skip(f"unsupported: {error}")
                    continue
            return Case(sets=sets, programs=[program], broken=str(broken), seed=self._config.seed, index=seed.index)
        raise problem

    def _unsound(self, seed: Seed, problems: Sequence[tuple[Variant | None, str]], fired: Collection[str]) -> Unsound:
        """Store the problems of unequal variants, or of rules that made an ill-typed graph. Return the exception."""
        false = _refuted(self._rules, fired)
        stored = []
        for variant, problem in problems:
            folder = self._out / "unsound" / f"{seed.index:06d}{'-' + variant.label if variant else ''}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            graph_files.save(seed.graph, folder / "seed.onnx")
            if variant:
                graph_files.save(variant.graph, folder / "variant.onnx")
            described = "\n".join([problem, *false])
            (folder / "problem.txt").write_text(described + "\n", encoding="utf-8")
            stored.append(f"{folder.name}: {described}")
        return Unsound(*stored, false="\n".join(false))


def _operators(config: Config, compiler: CompilerInfo) -> list[Op]:
    """Only Torch has operators on complex numbers, and those with a Python number as an operand."""
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
