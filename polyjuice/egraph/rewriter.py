"""Rewriting: a graph in, equivalent graphs out, by equality saturation (paper 004, sections 4.2 and 4.3)."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from egglog import bindings

from polyjuice.egraph import rulefiles
from polyjuice.egraph.decode import decode, operator_count, refused
from polyjuice.egraph.encode import CHUNK, Encoding, Tables, encode
from polyjuice.egraph.extract import Extractor, NoTerm, Selection
from polyjuice.egraph.language import EXACTNESS, ints, prelude
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.view import EGraphView, count_enodes, freeze
from polyjuice.ir import Graph, GraphError, digest, prune
from polyjuice.ops import Accepts, entry

#: A push/pop cycle of egglog keeps about 40 KB, so the base is built anew every so many cycles.
_CYCLES_PER_BASE = 2000

#: How far beyond the limit of e-nodes an iteration may be expected to lead: a rule on all pairs of two large e-classes
#: can make tens of thousands of e-nodes before they can be counted.
_OVERSHOOT = 2

_MAX_RANK = 8


@dataclass(frozen=True)
class Budget:
    """Limits on saturation, all of them counts, so that a run is reproducible.

    ``iterations`` of all enabled rules; ``enodes`` (or ``growth`` times the seed graph's, if that is more) and
    ``matches`` in one iteration, beyond which no further ruleset is run; ``rule_share`` of the rules is enabled
    for one graph, chosen by its seed. (egglog's back-off scheduler bounds single rules too, but costs 20 ms for each
    use, ten times what an iteration costs.)
    """

    iterations: int = 4
    enodes: int = 400
    growth: int = 8
    matches: int = 2000
    rule_share: float = 0.7

    def operators(self, original: int) -> int:
        """The most operators that a variant of a graph with ``original`` operators may have."""
        return min(3 * original + 10, original + 60)


@dataclass(frozen=True)
class Variant:
    """One equivalent graph: ``label`` is ``min``, ``max``, ``step-1`` ... or ``random-1`` ..."""

    label: str
    graph: Graph

    @property
    def operators(self) -> int:
        return operator_count(self.graph)


@dataclass(frozen=True)
class Rewriting:
    """The variants of a seed graph and how they came about.

    ``stopped_by`` is ``saturated``, ``enodes``, ``iterations`` or ``matches``; ``rules`` counts the matches of each
    rule that fired. These and the sizes are of the whole e-graph, where graphs shared one.
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


@dataclass(frozen=True)
class Saturated:
    """Graphs in one saturated e-graph, from which :meth:`Rewriter.extract` takes the variants of each."""

    encodings: tuple[Encoding, ...]
    view: EGraphView
    iterations: int
    stopped_by: str
    rules: dict[str, int]
    seconds: float

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs, without what no output of theirs needs."""
        return tuple(encoding.graph for encoding in self.encodings)


class Rewriter:
    """Holds an e-graph base loaded with rules; one instance serves many graphs, one after another."""

    def __init__(self, rules: Sequence[Rule], budget: Budget | None = None) -> None:
        self._rules = tuple(rules)
        self._budget = budget or Budget()
        self._base: bindings.EGraph | None = None
        self._cycles = 0

    def rewrite(
        self,
        graph: Graph,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
    ) -> Rewriting:
        """Saturate a checked graph and extract ``count`` variants.

        ``minmax``: the fewest operators, the most, and with ``count`` above two steps between; ``steps``: likewise, but
        of two the second is halfway, for a graph between the ends may fail where both pass; ``random``: ``count``
        random extractions. No operator is chosen that ``accepts`` refuses, unless the seed graph cannot do without.
        Everything depends on the graph, the rules, ``seed`` and ``accepts`` alone. Raises GraphError where a rule
        failed or made an ill-typed graph.
        """
        return self.extract(self.saturate([graph], seed), 0, seed, strategy, count, accepts)

    def saturate(self, graphs: Sequence[Graph], seed: int | str) -> Saturated:
        """Saturate checked graphs together in one e-graph, which costs each a fraction of what it costs alone.

        They share the seed's random choices, and a budget: that of one graph, and half of it for each further one (few
        graphs use up theirs, and those that do grow far beyond it). Raises GraphError where a rule failed.
        """
        began = time.perf_counter()
        rng = random.Random(f"rewrite {seed}")
        enabled = [i for i in range(len(self._rules)) if rng.random() < self._budget.rule_share]
        tables = Tables()
        encodings = tuple(encode(prune(graph), tables) for graph in graphs)
        programs = [program for encoding in encodings for program in encoding.program]
        programs += _random_facts([self._rules[i] for i in enabled], [e.graph for e in encodings], rng)
        programs += [_chosen(ruleset, self._rules, enabled) for ruleset in EXACTNESS]
        egraph = self._loaded()
        egraph.run_program(bindings.Push(1))
        try:
            for program in programs:
                egraph.run_program(*egraph.parse_program(program))
            view, iterations, stopped_by, fired = self._saturate(egraph, len(graphs))
        except bindings.EggSmolError as error:
            raise GraphError(f"a rule's action failed: {rulefiles.reason(error)}") from None
        except BaseException as error:
            self._base = None  # the e-graph of an interrupted run is in no state to be used again
            if type(error).__name__ == "PanicException":  # Rust's; it has no name to import
                raise GraphError(f"a rule's query failed in egglog: {error}") from None
            raise
        finally:
            if self._base is not None:
                egraph.run_program(bindings.Pop(_SPAN, 1))
        return Saturated(encodings, view, iterations, stopped_by, fired, time.perf_counter() - began)

    def extract(
        self,
        saturated: Saturated,
        index: int,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
    ) -> Rewriting:
        """The variants of one of the graphs (see :meth:`rewrite`). Raises GraphError for one that is ill typed."""
        began = time.perf_counter()
        encoding, view = saturated.encodings[index], saturated.view
        graph = encoding.graph
        roots = [view.values[encoding.values[name]] for name in graph.outputs]
        limit = self._budget.operators(operator_count(graph))
        how = (random.Random(f"extract {seed}"), strategy, count, limit)
        extractor = Extractor(view, roots, encoding.inputs)
        variants = _variants(graph, encoding, extractor, *how)
        if accepts and not all(_accepted(variant.graph, accepts) for variant in variants):
            with suppress(NoTerm):  # the seed graph itself holds what is refused, and nothing else stands for it
                others = Extractor(view, roots, encoding.inputs, refused(encoding, extractor, accepts))
                variants = _variants(graph, encoding, others, *how)
        return Rewriting(
            graph,
            variants,
            view.enodes,
            len(view.classes),
            saturated.iterations,
            saturated.stopped_by,
            saturated.rules,
            saturated.seconds / len(saturated.encodings),
            time.perf_counter() - began,
        )

    def _loaded(self) -> bindings.EGraph:
        if self._base is None or self._cycles >= _CYCLES_PER_BASE:
            self._base, self._cycles = bindings.EGraph(), 0
            lines = [prelude(set().union(*(rule.constructors for rule in self._rules)))]
            for i, rule in enumerate(self._rules):
                lines += [f"(ruleset {_own_ruleset(i)})", rulefiles.moved(rule, _own_ruleset(i))]
            self._base.run_program(*self._base.parse_program("\n".join(lines)))
        self._cycles += 1
        return self._base

    def _saturate(self, egraph: bindings.EGraph, graphs: int) -> tuple[EGraphView, int, str, dict[str, int]]:
        names = {name: rule.name for rule in self._rules for name in rule.names}
        share = (graphs + 1) / 2
        fired: Counter[str] = Counter()
        egraph.run_program(_ANALYSE)
        iteration, size = 0, count_enodes(egraph)
        limit = max(self._budget.enodes * share, self._budget.growth * size)
        stopped_by = ""
        growth = 1.0
        while not stopped_by and iteration < self._budget.iterations:
            if size * growth > _OVERSHOOT * limit:  # as the last iteration has multiplied it, so will the next one
                stopped_by = "enodes"
                break
            iteration += 1
            before, matches = size, Counter[str]()
            for command in _APPLY:
                output = egraph.run_program(command)[0]
                assert isinstance(output, bindings.RunScheduleOutput)
                for name, number in output.report.num_matches_per_rule.items():
                    if name in names and number:
                        matches[names[name]] += number
                size = count_enodes(egraph)
                if matches.total() > self._budget.matches * share:
                    stopped_by = "matches"
                elif size > limit:
                    stopped_by = "enodes"
                if stopped_by:
                    break
            egraph.run_program(_ANALYSE)
            fired += matches
            growth = size / max(before, 1)
            if not stopped_by and size == before and not matches:
                stopped_by = "saturated"
        stopped_by = stopped_by or "iterations"
        return freeze(egraph), iteration, stopped_by, dict(sorted(fired.items()))


# --- commands --------------------------------------------------------------------------------------------------------

_SPAN = bindings.RustSpan(__file__, 0, 0)


def _own_ruleset(rule: int) -> str:
    """Each rule has a ruleset of its own; those that a run enables are combined, and the others cost nothing."""
    return f"rule-{rule}"


def _chosen(ruleset: str, rules: Sequence[Rule], enabled: Iterable[int]) -> str:
    """The command that combines what a run enables of a ruleset, with the language's own rules in it."""
    own = [_own_ruleset(i) for i in enabled if rules[i].ruleset == ruleset]
    return f"(unstable-combined-ruleset {_enabled(ruleset)} {' '.join([ruleset, *own])})"


def _enabled(ruleset: str) -> str:
    return f"enabled-{ruleset}"


def _run(ruleset: str) -> bindings.Run:
    return bindings.Run(_SPAN, bindings.RunConfig(ruleset))


_ANALYSE = bindings.RunSchedule(bindings.Saturate(_SPAN, _run("analysis")))
_APPLY = [bindings.RunSchedule(_run(_enabled(ruleset))) for ruleset in EXACTNESS]


# --- variants --------------------------------------------------------------------------------------------------------


def _variants(
    graph: Graph,
    encoding: Encoding,
    extractor: Extractor,
    rng: random.Random,
    strategy: str,
    count: int,
    limit: int,
) -> tuple[Variant, ...]:
    original = operator_count(graph)
    if strategy == "random":
        chosen: list[tuple[str, Selection]] = [(f"random-{i + 1}", extractor.any(rng, limit)) for i in range(count)]
        return tuple(Variant(label, decode(encoding, selection)) for label, selection in chosen)
    between = max(count - 2, 1 if strategy == "steps" else 0)
    selections = [extractor.fewest(), *extractor.most(rng, limit, between)]
    fewest, *steps, most = sorted(selections, key=Selection.operators)
    low, high = Variant("min", decode(encoding, fewest)), Variant("max", decode(encoding, most))
    if low.operators > original:
        low = Variant("min", graph)
    if high.operators < original:
        high = Variant("max", graph)
    middle = [Variant(f"step-{i + 1}", decode(encoding, step)) for i, step in enumerate(steps)]
    return (low, *middle, high)[:count]


def _accepted(graph: Graph, accepts: Accepts) -> bool:
    """Whether all operators of the table that a graph holds are accepted on their operands."""
    types = graph.types
    return all(
        accepts(op, [types[x] for x in node.inputs if x], [types[y] for y in node.outputs if y])
        for node in graph.nodes
        if (op := entry(node))
    )


def distinct(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """The variants that are structurally different, first come first kept."""
    found: dict[str, Variant] = {}
    for variant in variants:
        found.setdefault(digest(variant.graph), variant)
    return tuple(found.values())


# --- the random choices of structural rules (r1 ... r6 of paper 004, table 1) ----------------------------------------

_RANDOM = re.compile(r'\((random-perm|random-cut|random-axis) "([^"]+)"')


def _random_facts(rules: Sequence[Rule], graphs: Sequence[Graph], rng: random.Random) -> list[str]:
    """The programs that load random choices: for every (function, key) that the rules ask for a permutation and an axis
    for each rank, and a cut for each dimension size that may occur.

    Every permutation, random or one of the graphs' own, comes with its inverse.
    """
    keys = sorted({pair for rule in rules for pair in _RANDOM.findall(rule.text)})
    types = {t for graph in graphs for t in graph.types.values()}
    nodes = [n for graph in graphs for n in graph.nodes if n.op == "Transpose" and not (n.opaque or n.domain)]
    ranks = sorted({min(t.rank, _MAX_RANK) for t in types})
    dims = {d for t in types for d in t.shape}
    sizes = sorted({n for d in dims for n in (d, 2 * d, d // 2, d - d // 2) if n > 1})
    perms = {tuple(n.attrs["perm"]) for n in nodes}
    facts = []
    for function, key in keys:
        if function == "random-cut":
            facts += [f'(set (random-cut "{key}" {n}) {rng.randint(1, n - 1)})' for n in sizes]
        for rank in ranks:
            if function == "random-axis" and rank > 0:
                facts.append(f'(set (random-axis "{key}" {rank}) {rng.randrange(rank)})')
            if function == "random-perm" and rank > 1:
                perm = rng.sample(range(rank), rank)
                while perm == sorted(perm):
                    perm = rng.sample(range(rank), rank)
                perms.add(tuple(perm))
                facts.append(f'(set (random-perm "{key}" {rank}) {ints(perm)})')
    inverses = {perm: tuple(perm.index(i) for i in range(len(perm))) for perm in sorted(perms)}
    both = {**inverses, **{inverse: perm for perm, inverse in inverses.items()}}
    facts += [f"(set (inverse-perm {ints(perm)}) {ints(inverse)})" for perm, inverse in both.items()]
    chunks = [facts[i : i + CHUNK] for i in range(0, len(facts), CHUNK)]
    return [
        f"(ruleset facts-{i})\n(rule () ({' '.join(chunk)}) :ruleset facts-{i})\n(run facts-{i} 1)"
        for i, chunk in enumerate(chunks)
    ]
