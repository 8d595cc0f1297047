"""Check all rules together: saturate generated graphs with every rule, and compare all terms held to be equal.

A rule may be true on instances of its own and still be wrong here: its conditions may say too little, or an analysis
may be wrong. So this check evaluates every e-node of every e-class, on terms that the rules made of each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from polyjuice.egraph import Budget, Classes, Rewriter, Rule, classes, partners
from polyjuice.egraph.terms import term
from polyjuice.generate import generate
from polyjuice.inputs import REAL_PROFILES, make_inputs, ranges
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, prune
from polyjuice.numerics import analyse, apart, as_good_as_equal

#: Every rule that can match, for as long as the e-graph stays small enough to be evaluated whole.
_BUDGET = Budget(rules=None, iterations=2, enodes=600)

#: Graphs that share an e-graph.
_TOGETHER = 10


@dataclass(frozen=True, kw_only=True)
class Coherence:
    """Results on some generated graphs: e-classes compared, how often each rule fired, and the disagreements."""

    graphs: int = 0
    classes: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    incoherent: tuple[str, ...] = ()

    def __add__(self, other: Coherence) -> Coherence:
        return Coherence(
            graphs=self.graphs + other.graphs,
            classes=self.classes + other.classes,
            fired=self.fired + other.fired,
            incoherent=self.incoherent + other.incoherent,
        )


def coherence(rules: Sequence[Rule], indices: Sequence[int], seed: int | str, nodes: int = 10) -> Coherence:
    """Saturate generated graphs, some in one e-graph, and compare all members of all e-classes."""
    rewriter, wanted = Rewriter(rules, _BUDGET), partners(rules)
    total = Coherence()
    for start in range(0, len(indices), _TOGETHER):
        keys = [f"{seed} {index}" for index in indices[start : start + _TOGETHER]]
        graphs = {key: generate(nodes, key, partners=wanted) for key in keys}
        total += _coherence_of(rewriter, graphs)
    return total


def _coherence_of(rewriter: Rewriter, graphs: dict[str, Graph]) -> Coherence:
    """The result for graphs by their seeds, in one e-graph, or each in its own where a rule fails."""
    try:
        intervals = [ranges(graph, REAL_PROFILES) for graph in graphs.values()]
        saturated = rewriter.saturate(list(graphs.values()), next(iter(graphs)), intervals)
    except GraphError as error:
        if len(graphs) == 1:
            return Coherence(graphs=1, incoherent=(f"graph {next(iter(graphs))}: {error}",))
        return sum((_coherence_of(rewriter, {key: graph}) for key, graph in graphs.items()), Coherence())
    total = Coherence(fired=Counter(saturated.rules))
    for k, (key, graph) in enumerate(graphs.items()):
        known = classes(saturated, k)
        problems = [f"graph {key}: ill typed: {problem}" for problem in known.ill_typed]
        problems += [f"graph {key}: {problem}" for problem in _disagreements(graph, known, key)]
        total += Coherence(graphs=1, classes=len(known.groups), incoherent=tuple(problems))
    return total


def _disagreements(seed_graph: Graph, known: Classes, seed: str) -> list[str]:
    graph = known.graph
    found = []
    for group in known.groups:
        kinds = {graph.types[name] for name in group}
        if len(kinds) > 1:
            found.append(f"types {', '.join(map(str, kinds))} in one e-class: {term(graph, group[0])} ...")
    if found or not known.groups:
        return found
    for profile in REAL_PROFILES:
        try:
            inputs = make_inputs(seed_graph, profile, seed)
            results = dict(zip(graph.outputs, evaluate(graph, inputs, "float64"), strict=True))
        except EvaluationError:
            continue
        pairs = [(group[0], name) for group in known.groups for name in group[1:]]
        unequal = [pair for pair in pairs if not as_good_as_equal(results[pair[0]], results[pair[1]])]
        found += [f"{text} ({profile} inputs)" for text in _beyond_their_bounds(graph, unequal, inputs)]
    return found


def _beyond_their_bounds(graph: Graph, pairs: Sequence[tuple[str, str]], inputs: Sequence[np.ndarray]) -> list[str]:
    names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
    part = prune(replace(graph, outputs=names))
    analyses = dict(zip(names, analyse(part, inputs, "float64", True), strict=True))
    return [
        f"{term(graph, left)} is not {term(graph, right)}"
        for left, right in pairs
        if np.any(apart(analyses[left], analyses[right]))
    ]
