"""Explain why two graphs are equal: find a smallest set of rules that proves it, with both graphs in one e-graph.

For a reduced pair this is ideally one rule, which shows a maintainer that the two programs mean the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import count

from polyjuice.ddmin import ddmin
from polyjuice.egraph import Budget, Rewriter, Rule, load
from polyjuice.egraph.encode import Range
from polyjuice.egraph.language import constructors
from polyjuice.egraph.random_choices import asked
from polyjuice.egraph.saturation import constructors_in
from polyjuice.ir import Graph, GraphError, renamed

#: A proof is given up at this many e-nodes. Reduced pairs have few.
_ENODES = 2000

#: Rules that touch the difference are applied to each of these depths in turn; then all rules to the last depth.
_DEPTHS, _DEPTH_OF_ALL = (1, 2, 3), 2

#: How many seeds are tried for the rules' random choices, which must match the graphs: for many rules, and for the few
#: rules of a proof.
_FEW_SEEDS, _MANY_SEEDS = 2, 4

#: How many sets of rules are tried to find the smallest sufficient one, and how many rules are too many for an
#: explanation.
_TRIED, _TOO_MANY = 30, 5


@cache
def default_rules() -> tuple[Rule, ...]:
    """The rules that come with Polyjuice."""
    return load()


def explain(
    a: Graph, b: Graph, rules: Sequence[Rule] = (), ranges: Mapping[str, Range] | None = None
) -> tuple[Rule, ...] | None:
    """Return rules that prove all outputs of two checked graphs equal: one rule where it suffices, else few by ddmin.

    () means that the graphs are the same in the e-graph, for example but for explicit broadcasting. None means that no
    proof is found within limits. ``rules`` may be used in the proof; the default is the rules that come with Polyjuice.
    ``ranges`` maps input names of ``a`` to the intervals of their values.
    """
    if a.input_types != b.input_types or a.output_types != b.output_types:
        return None
    rules = tuple(rules) or default_rules()
    prove = partial(_fired, _together(a, b), ranges or {})
    touching = accountable(a, b, rules)
    try:
        if prove((), 1, 1) is not None:
            return ()
        for tried, depth in (*((touching, depth) for depth in _DEPTHS), (rules, _DEPTH_OF_ALL)):
            fired = prove(tried, depth, _FEW_SEEDS)
            if fired is not None:
                found = _least(prove, fired, touching, depth)
                return found if len(found) < _TOO_MANY else None
    except GraphError:
        return None
    return None


def _least(
    prove: Callable[[Sequence[Rule], int, int], object], fired: Sequence[Rule], touching: Sequence[Rule], depth: int
) -> tuple[Rule, ...]:
    """Return a small sufficient subset of a proof's rules: a single one that touches the difference, if possible."""
    near = [rule for rule in touching if rule in fired]
    tried = 0

    def suffice(rules: tuple[Rule, ...]) -> bool:
        nonlocal tried
        tried += 1
        return tried <= _TRIED and prove(rules, depth, _MANY_SEEDS) is not None

    found = ddmin([*near, *(rule for rule in fired if rule not in near)], suffice)
    one = found[0] if len(found) == 1 else next((rule for rule in near if suffice((rule,))), None)
    return (one,) if one else found


def accountable(a: Graph, b: Graph, rules: Iterable[Rule]) -> list[Rule]:
    """The rules that mention an operator which one graph has more often than the other, those with most of these first.

    If both graphs have the same operators, all rules that mention any of them.
    """
    first, second = (Counter(node.qualified for node in graph.nodes) for graph in (a, b))
    sought = {*(first - second), *(second - first)} or {*first}
    mentioned = {rule: {constructors()[name].op.qualified for name in rule.constructors} for rule in rules}
    found = [rule for rule, operators in mentioned.items() if operators & sought]
    return sorted(found, key=lambda rule: (len(sought - mentioned[rule]), len(mentioned[rule])))


def _fired(
    both: Graph, ranges: Mapping[str, Range], rules: Sequence[Rule], depth: int, seeds: int
) -> list[Rule] | None:
    """The rules that fired in a proof that the first half of a graph's outputs equals the second.

    The proof has ``depth`` iterations. None without a proof. Raises GraphError.
    """
    budget = Budget(rules=None, iterations=depth, enodes=_ENODES)
    rewriter = Rewriter(rules, budget, constructors_in([both]) & constructors().keys())
    for seed in range(seeds if asked(rules) else 1):
        saturated = rewriter.saturate([both], seed, [ranges])
        roots = saturated.roots(0)
        if roots[: len(roots) // 2] == roots[len(roots) // 2 :]:
            return [rule for rule in rules if rule.name in saturated.rules]
    return None


def _together(a: Graph, b: Graph) -> Graph:
    """One graph with shared inputs that returns the outputs of ``a``, then those of ``b``."""
    names = {"": "", **dict(zip(b.inputs, a.inputs, strict=True))}
    free = (name for number in count() if (name := f"b{number}") not in a.types)
    b = renamed(b, names | {name: next(free) for name in b.types if name not in names})
    return replace(
        a,
        constants={**a.constants, **b.constants},
        nodes=(*a.nodes, *b.nodes),
        outputs=(*a.outputs, *b.outputs),
        types={**a.types, **b.types},
        opsets={**a.opsets, **b.opsets},
        updates={},
    )
