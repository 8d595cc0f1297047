"""Candidates for a suite: from a seed graph to two equivalent graphs of its e-graph, and their features."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import find
from polyjuice.egraph import Budget, Rewriter, graph_windows, load, partners
from polyjuice.inputs import USUAL_PROFILES, draw, plans
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.lower import Unlowerable, repeated_axes
from polyjuice.ops import Op
from polyjuice.session import CompilerSession, Conditions
from polyjuice.suite import features
from polyjuice.suite.lowering import Lowering
from polyjuice.suite.options import Options
from polyjuice.support import Support

RULES = 100
"""The number of rules enabled for a pair, a third of a campaign's.

A case names the rules that fired as the reason why its programs are equal, so few are better. A suite covers the other
rules by its many cases.
"""

A, B = SIDES = ("a", "b")

_ALIKE = 0.5
"""The probability that both programs of a pair draw their lowering choices by one key."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Two equivalent graphs, the smallest and the largest of a seed graph's e-graph, and how to lower and run them.

    ``rules`` counts the matches of the rules that fired in the e-graph. ``profile`` is the inputs' profile, and ``key``
    determines their values. ``large`` means that they are as large as exact results allow. ``keys`` draw the lowering
    choices of each side. The values of inputs are ``repeated`` along some axes.
    """

    seed: Graph
    graphs: Mapping[str, Graph]
    rules: Mapping[str, int]
    profile: str
    key: str
    large: bool
    keys: Mapping[str, str]
    repeated: Mapping[str, int]
    features: frozenset[str]


class Candidates:
    """Makes the candidates of a suite, each from the suite's seed and its index alone; close it after use."""

    def __init__(self, options: Options) -> None:
        """Load the rules. Raises RuleError, SolverMissing, and EnvironmentProblem for an unknown compiler."""
        self._options = options
        rules = load(map(Path, options.rules))
        self._rewriter = Rewriter(rules, Budget(rules=RULES))
        self._plans = plans(USUAL_PROFILES, {rule.ruleset for rule in rules})
        self._seeds = Seeds((options.strategy,), options.nodes, options.seed, None, partners(rules))
        compilers = [find(name) for name in options.compilers]
        conditions = Conditions(opset=options.opset)
        self._asked = [CompilerSession(conditions, info) for info in compilers]
        self._traced = [CompilerSession(conditions, find(name), trace=True) for name in options.traced]
        self._supports = [Support(session.compiler, session.worker(), options.opset) for session in self._asked]
        self.lowering = Lowering(options.opset, compilers, self._supports)
        self._unasked = set(options.formats).difference(info.format for info in compilers)

    def close(self) -> None:
        """End the compilers' processes."""
        for session in (*self._asked, *self._traced):
            session.close()

    def candidate(self, index: int) -> Candidate | None:
        """A candidate; None where its variants are one graph. Raises GraphError for a rule that failed."""
        key = f"{self._options.seed}/{index}"
        seed = self._seeds.graph(index, 0, self._takes)
        plan = draw(self._plans, key)
        profiles = plan.profiles_of(seed)
        rewriting = graph_windows.rewrite(
            self._rewriter, seed, key, accepts=self._takes, ranges=plan.ranges(seed), rulesets=plan.rulesets
        )
        graphs = dict(zip(SIDES, (variant.graph for variant in rewriting.variants), strict=True))
        if digest(graphs[A]) == digest(graphs[B]):
            return None
        rng = random.Random(f"suite {key}")
        keys = {A: key, B: key if rng.random() < _ALIKE else f"{key} {B}"}
        axes = repeated_axes(seed, key)
        found = features.of_pair(graphs[A], graphs[B], rewriting.rules)
        candidate = Candidate(
            seed=seed,
            graphs=graphs,
            rules=rewriting.rules,
            profile=rng.choice(profiles),
            key=key,
            large=plan.large,
            keys=keys,
            repeated=axes,
            features=found,
        )
        return replace(candidate, features=found.union(*(self._passes(candidate, session) for session in self._traced)))

    def _takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether all compilers of the suite take an operator, and formats without a compiler can express it."""
        return all(self.lowering.spells(format, op, operands, results) for format in self._unasked) and all(
            support.takes(op, operands, results) for support in self._supports
        )

    def _passes(self, candidate: Candidate, session: CompilerSession) -> frozenset[str]:
        """The passes that a compiler ran on only one of two programs; none where it does not run both."""
        inputs = [np.ones(t.shape, dtypes.to_numpy(t.dtype)) for t in candidate.seed.input_types]
        traces = []
        for side in SIDES:
            try:
                how = session.compiler.format, candidate.keys[side], candidate.repeated
                artifact = self.lowering.lower(candidate.graphs[side], *how)
            except Unlowerable:
                return frozenset()
            outcome = session.worker().execute(artifact, [inputs], reference=False)
            if outcome.status != "ok":
                return frozenset()
            traces.append(outcome.trace)
        return features.of_passes(session.compiler.name, *traces)
