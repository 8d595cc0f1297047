"""Rewriting: a graph in, equivalent graphs out, by equality saturation (PolyJuice, sections 4.2 and 4.3)."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from polyjuice.egraph.decode import Classes, decode, decode_classes, operator_count, refused, writable
from polyjuice.egraph.decode import extractor as extractor_of
from polyjuice.egraph.encode import Encoding, Range
from polyjuice.egraph.extract import Extractor, NoTerm, Selection
from polyjuice.egraph.patterns import Pattern
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.saturation import Budget, Saturated, Saturator
from polyjuice.egraph.view import ENode
from polyjuice.ir import Graph, GraphError, digest
from polyjuice.ops import Accepts, entry, is_accepted

_WITH_PATTERNS = 0.5
"""How often an e-graph is searched for patterns. A base without them is copied in half of the time."""


@dataclass(frozen=True)
class Variant:
    """One equivalent graph.

    ``label`` is ``min``, ``max``, ``target``, or ``step``, ``different`` or ``random`` with a number, as in ``step-1``.
    ``part`` is the part of the compiler whose pattern was written into the graph, if any.
    """

    label: str
    graph: Graph
    part: str = ""

    @property
    def operators(self) -> int:
        """The number of operators, without Expand."""
        return operator_count(self.graph)


@dataclass(frozen=True, kw_only=True)
class Rewriting:
    """The variants of a seed graph, and statistics of the saturation that made them.

    ``stopped_by`` is ``saturated``, ``enodes``, ``iterations`` or ``matches``. ``rules`` counts the matches of each
    rule that fired. Where graphs shared an e-graph, these and the sizes are of the whole e-graph.
    """

    seed: Graph
    variants: tuple[Variant, ...]
    enodes: int
    eclasses: int
    iterations: int
    stopped_by: str
    rules: dict[str, int] = field(default_factory=dict)
    rewrite_s: float = 0.0
    extract_s: float = 0.0


class Rewriter:
    """Holds the rules in a form ready for use; one instance serves many graphs, one after another."""

    def __init__(
        self,
        rules: Sequence[Rule],
        budget: Budget | None = None,
        known: Collection[str] = (),
        patterns: Sequence[Pattern] = (),
    ) -> None:
        """``known`` are constructors whose types the e-graph derives even if no rule mentions them.

        ``patterns`` are those of the strategy ``targets``.
        """
        self._budget = budget or Budget()
        self._plain = Saturator(rules, self._budget, known)
        self._searching = Saturator(rules, self._budget, known, patterns) if patterns else self._plain

    def rewrite(
        self,
        graph: Graph,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
        ranges: Mapping[str, Range] | None = None,
        rulesets: Collection[str] | None = None,
    ) -> Rewriting:
        """Saturate a checked graph and extract ``count`` variants.

        The strategies are:

        - ``minmax``: the fewest operators (the graph itself where no other has fewer) and the most; with ``count``
          above two, steps between.
        - ``steps``: the same, but of two variants the second is halfway. A graph between the ends may fail where both
          pass.
        - ``difference``: graphs with many operators that the others lack.
        - ``random``: ``count`` random extractions.
        - ``targets``: for half of the e-graphs, the fewest operators, and graphs with a pattern that a part of the
          compiler looks for. For the other half, and where there is no pattern, the same as ``minmax``.

        No variant has an operator that ``accepts`` refuses, unless the seed graph cannot do without it. ``ranges`` are
        the intervals in which inputs will lie, by name. ``rulesets`` are the rulesets whose rules may apply (see
        :meth:`saturate`). The result depends only on these arguments and the rules. Raises GraphError where a rule
        failed or made an ill-typed graph.
        """
        search = strategy == "targets" and is_searched(seed)
        saturated = self.saturate([graph], seed, [ranges or {}], rulesets, search)
        return self.extract(saturated, 0, seed, strategy, count, accepts)

    def saturate(
        self,
        graphs: Sequence[Graph],
        seed: int | str,
        ranges: Sequence[Mapping[str, Range]] | None = None,
        rulesets: Collection[str] | None = None,
        search: bool = True,
    ) -> Saturated:
        """Saturate checked graphs together in one e-graph, which costs each a fraction of its cost alone.

        They share the seed's random choices, and a budget: one graph's, and half of it for each further graph. (Few
        graphs use up their budget, and those that do would grow far beyond it.) ``ranges`` has the intervals of the
        inputs of each graph. ``rulesets`` are the rulesets whose rules may apply. None means all; for some seeds all
        but the rules over the reals. With ``search``, the e-graph is searched for patterns. Raises GraphError where a
        rule failed.
        """
        saturator = self._searching if search else self._plain
        return saturator.run(graphs, seed, ranges or [{}] * len(graphs), rulesets)

    def extract(
        self,
        saturated: Saturated,
        index: int,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
    ) -> Rewriting:
        """The variants of one of the graphs (see :meth:`rewrite`). Raises GraphError if one is ill typed."""
        began = time.perf_counter()
        encoding, view = saturated.encodings[index], saturated.view
        graph = encoding.graph
        roots = saturated.roots(index)
        limit = self._budget.operators(operator_count(graph))
        rng = random.Random(f"extract {seed}")
        how = (rng, strategy, count, limit, _accepted(graph, accepts), view.matches, accepts)
        extractor = extractor_of(encoding, view, roots)
        variants = _variants(graph, encoding, extractor, *how)
        if not all(_accepted(variant.graph, accepts) for variant in variants):
            with suppress(NoTerm):  # the seed graph has a refused operator without an equivalent
                others = Extractor(view, roots, encoding.inputs, refused(encoding, extractor, accepts))
                variants = _variants(graph, encoding, others, *how)
        return Rewriting(
            seed=graph,
            variants=variants,
            enodes=view.enodes,
            eclasses=len(view.classes),
            iterations=saturated.iterations,
            stopped_by=saturated.stopped_by,
            rules=saturated.rules,
            rewrite_s=saturated.seconds / len(saturated.encodings),
            extract_s=time.perf_counter() - began,
        )


def is_searched(seed: int | str) -> bool:
    """Whether the strategy ``targets`` searches the e-graph of a seed for patterns."""
    return random.Random(f"patterns {seed}").random() < _WITH_PATTERNS


def classes(saturated: Saturated, index: int) -> Classes:
    """All terms that a saturated e-graph holds to be equal and that one of its graphs can reach."""
    encoding = saturated.encodings[index]
    return decode_classes(encoding, extractor_of(encoding, saturated.view, saturated.roots(index)))


def fewest(saturated: Saturated, index: int, accepts: Accepts) -> Graph | None:
    """The smallest graph that equals one of the graphs and has no operator that ``accepts`` refuses.

    None where there is none. Raises GraphError if it is ill typed.
    """
    encoding, view, roots = saturated.encodings[index], saturated.view, saturated.roots(index)
    unwanted = refused(encoding, extractor_of(encoding, view, roots), accepts)
    try:
        return decode(encoding, Extractor(view, roots, encoding.inputs, unwanted).fewest())
    except NoTerm:
        return None


# --- variants --------------------------------------------------------------------------------------------------------


def _variants(
    graph: Graph,
    encoding: Encoding,
    extractor: Extractor,
    rng: random.Random,
    strategy: str,
    count: int,
    limit: int,
    accepted: bool,
    matches: Sequence[tuple[Pattern, int, ENode]] = (),
    accepts: Accepts | None = None,
) -> tuple[Variant, ...]:
    """The variants, from the fewest operators to the most.

    ``min`` is the seed graph, if that is ``accepted``, where no variant is smaller and no other variant equals the
    seed.
    """
    original = operator_count(graph)
    wanted = count - 1 if strategy == "targets" and matches else 0
    smallest = decode(encoding, extractor.fewest()) if wanted else graph
    if wanted and (written := _with_patterns(encoding, matches, extractor, rng, wanted, accepts, smallest)):
        further = extractor.most(rng, limit, wanted - len(written) - 1) if len(written) < wanted else []
        larger = [Variant(f"max-{i + 1}", decode(encoding, selection)) for i, selection in enumerate(further)]
        return (Variant("min", smallest), *written, *larger)
    if strategy == "random":
        chosen: list[tuple[str, Selection]] = [(f"random-{i + 1}", extractor.any(rng, limit)) for i in range(count)]
        return tuple(Variant(label, decode(encoding, selection)) for label, selection in chosen)
    if strategy == "difference":
        far = sorted(extractor.different(rng, limit, count), key=Selection.operators)
        return tuple(Variant(f"different-{i + 1}", decode(encoding, selection)) for i, selection in enumerate(far))
    between = max(count - 2, 1 if strategy == "steps" else 0)
    selections = [extractor.fewest(), *extractor.most(rng, limit, between)]
    fewest, *steps, most = sorted(selections, key=Selection.operators)
    low, high = Variant("min", decode(encoding, fewest)), Variant("max", decode(encoding, most))
    if high.operators < original:
        high = Variant("max", graph)
    middle = [Variant(f"step-{i + 1}", decode(encoding, step)) for i, step in enumerate(steps)]
    others = {digest(variant.graph) for variant in (*middle, high)}
    for_nothing = low.operators == original and accepted and digest(graph) not in others
    if low.operators > original or for_nothing:
        low = Variant("min", graph)
    return (low, *middle, high)[:count]


def _with_patterns(
    encoding: Encoding,
    matches: Sequence[tuple[Pattern, int, ENode]],
    extractor: Extractor,
    rng: random.Random,
    count: int,
    accepts: Accepts | None,
    smallest: Graph,
) -> list[Variant]:
    """Up to ``count`` graphs that differ from ``smallest`` by a pattern, each of another part."""
    by_part: dict[str, list[tuple[Pattern, int, ENode]]] = {}
    for pattern, eclass, node in matches:
        if extractor.takes(eclass, node):
            by_part.setdefault(pattern.part, []).append((pattern, eclass, node))
    found: list[Variant] = []
    seen = {digest(smallest)}
    for part in rng.sample(sorted(by_part), len(by_part)):
        if len(found) == count:
            break
        pattern, eclass, node = rng.choice(by_part[part])
        with suppress(GraphError):  # broadcasting that the term takes and its operands do not
            graph = decode(encoding, extractor.through(eclass, node), [pattern])
            if digest(graph) not in seen and _accepted(graph, accepts):
                seen.add(digest(graph))
                found.append(Variant(f"target-{len(found) + 1}" if count > 1 else "target", graph, part))
    return found


def _accepted(graph: Graph, accepts: Accepts | None) -> bool:
    return all(writable(node.attrs) for node in graph.nodes if entry(node)) and is_accepted(graph, accepts)


def distinct(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """The variants that are structurally different; of equal ones the first."""
    found: dict[str, Variant] = {}
    for variant in variants:
        found.setdefault(digest(variant.graph), variant)
    return tuple(found.values())
