"""Saturation: graphs into one e-graph, random choices and rules with them, until a budget is spent (PolyJuice, 4.2)."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from polyjuice.egraph import bounds, random_choices, rulefiles
from polyjuice.egraph.bindings import bindings
from polyjuice.egraph.encode import Encoding, Range, Tables, encode, load
from polyjuice.egraph.language import (
    constructor_for,
    constructors,
    derivable,
    expand_of,
    prelude,
    types_of,
    vocabulary,
    with_bounds,
)
from polyjuice.egraph.matches import holds
from polyjuice.egraph.patterns import DECLARATIONS, PREPARATION, Pattern
from polyjuice.egraph.rulefiles import Rule
from polyjuice.egraph.sexpr import commands
from polyjuice.egraph.view import EGraphView, count_enodes, freeze
from polyjuice.ir import Graph, GraphError, prune
from polyjuice.ops import entry, primitives

RULES_PER_GRAPH = 300
"""The most rules for one graph by default."""

#: egglog keeps about 130 KiB for each push and pop, so the base is built again after this number of cycles. Its memory
#: is then used again, so that a process that rewrites stays about 110 MiB above its start.
_CYCLES_PER_BASE = 300

#: An iteration may be expected to reach this many times the limit of e-nodes. A rule on all pairs of two large
#: e-classes can make tens of thousands of e-nodes before they are counted.
_OVERSHOOT = 2

_TURNS = 4
"""The turns in which the rules of a graph are drawn."""

#: Each iteration runs the rules in this number of groups, in random order, and counts the e-nodes after each group.
_GROUPS = 4

#: The share of graphs for which rules over the reals may be enabled. Such rules round integers on the way, so that
#: results are no longer comparable bit for bit.
_OVER_THE_REALS = 0.6

#: The rounds of value bounds before the first iteration, and after each. (Not until nothing changes: around a cycle
#: bounds could tighten forever.)
_FIRST_ROUNDS, _FURTHER_ROUNDS = 4, 1


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits on saturation, all of them counts, so that a run is reproducible.

    For one graph, at most ``rules`` rules are enabled (None: no limit), besides all rules of the user's. The graph's
    seed draws them among the rules that can match there; for some graphs only exact and modular rules. They run for
    ``iterations``. Saturation stops beyond ``enodes`` e-nodes (or ``growth`` times the seed graph's, if that is more).
    It also stops beyond ``matches`` matches in one iteration. A rule with more than ``rule_matches`` matches in one
    iteration rests in the next. (egglog's back-off scheduler does that too, but costs 20 ms for each use, ten times an
    iteration.)
    """

    rules: int | None = RULES_PER_GRAPH
    iterations: int = 3
    enodes: int = 400
    growth: int = 8
    matches: int = 2000
    rule_matches: int = 200

    def operators(self, original: int) -> int:
        """The most operators that a variant of a graph with ``original`` operators may have."""
        return min(3 * original + 10, original + 60)


@dataclass(frozen=True, kw_only=True)
class Saturated:
    """Graphs in one saturated e-graph.

    ``stopped_by`` is ``saturated``, ``enodes``, ``iterations`` or ``matches``. ``rules`` counts the matches of each
    rule that fired.
    """

    encodings: tuple[Encoding, ...]
    view: EGraphView
    iterations: int
    stopped_by: str
    rules: dict[str, int]
    seconds: float

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs, without the nodes and constants that no output needs."""
        return tuple(encoding.graph for encoding in self.encodings)

    def roots(self, index: int) -> list[int]:
        """The e-classes of a graph's outputs."""
        encoding = self.encodings[index]
        return [self.view.values[encoding.values[name]] for name in encoding.graph.outputs]


class Saturator:
    """Holds an e-graph loaded with rules, and saturates graphs in copies of it.

    (Deleting a graph's terms instead is ten times as fast, but then the earlier graphs change the numbers of matches.)
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        budget: Budget,
        known: Collection[str] = (),
        patterns: Sequence[Pattern] = (),
    ) -> None:
        """``known`` are constructors that the e-graph declares even if no rule mentions them.

        ``patterns`` are matched when saturation has ended.
        """
        self._rules = tuple(rules)
        self._budget = budget
        self._patterns = tuple(patterns)
        matched = (pattern.mentioned - {"Splat"} for pattern in patterns)
        self._mentioned = frozenset(known).union(*(rule.constructors for rule in rules), *matched)
        self._bounded = any(rule.needs_bounds for rule in rules)
        self._words = vocabulary(self._mentioned, self._bounded)
        self._derived = frozenset(
            name for name in self._mentioned if constructors()[name].op.elementwise and derivable(name)
        )
        self._base: bindings.EGraph | None = None
        self._cycles = 0

    def run(
        self,
        graphs: Sequence[Graph],
        seed: int | str,
        ranges: Sequence[Mapping[str, Range]],
        rulesets: Collection[str] | None = None,
    ) -> Saturated:
        """Saturate graphs together, given the intervals in which the inputs of each will lie.

        ``rulesets`` are the rulesets whose rules may apply. None means all; for some seeds all but the rules over the
        reals. Raises GraphError where a rule failed.
        """
        began = time.perf_counter()
        rng = random.Random(f"rewrite {seed}")
        pruned = [prune(graph) for graph in graphs]
        tables = Tables()
        enabled, present = self._enabled(pruned, rng, rulesets)
        chosen = [self._rules[i] for i in enabled]
        encodings = tuple(
            encode(graph, tables, self._words, self._derived, known, random_choices.sites(chosen, graph, rng))
            for graph, known in zip(pruned, ranges, strict=True)
        )
        facts = random_choices.facts(chosen, pruned, rng)
        programs = self._rulesets(present, any(rule.needs_bounds for rule in chosen))
        egraph = self._loaded()
        egraph.run_program(bindings.Push(1))
        try:
            load(egraph, encodings, facts)
            for program in programs:
                egraph.run_program(*egraph.parse_program(program))
            iterations, stopped_by, fired = self._run(egraph, enabled, len(graphs), rng)
            view = self._matched(egraph, present)
        except bindings.EggSmolError as error:
            raise GraphError(f"a rule's action failed: {rulefiles.reason(error)}") from None
        except BaseException as error:
            self._base = None  # an interrupted run leaves its e-graph unusable
            if type(error).__name__ == "PanicException":  # Rust's; it has no name to import
                raise GraphError(f"a rule's query failed in egglog: {error}") from None
            raise
        finally:
            if self._base is not None:
                egraph.run_program(bindings.Pop(_here(), 1))
        return Saturated(
            encodings=encodings,
            view=view,
            iterations=iterations,
            stopped_by=stopped_by,
            rules=fired,
            seconds=time.perf_counter() - began,
        )

    def _enabled(
        self, graphs: Sequence[Graph], rng: random.Random, rulesets: Collection[str] | None
    ) -> tuple[list[int], frozenset[str]]:
        """Draw rules by turns, each time among those that match what the graphs have and the rules before make."""
        constructors = constructors_in(graphs) & (self._words | {primitives.EXPAND, "Splat"})
        limit = self._budget.rules
        allowed = [i for i, rule in enumerate(self._rules) if rulesets is None or rule.ruleset in rulesets]
        if limit is None:
            return self._able(allowed, constructors)
        if rulesets is None and rng.random() >= _OVER_THE_REALS:
            allowed = [i for i in allowed if self._rules[i].added or self._rules[i].ruleset != "real"]
        chosen = [i for i in allowed if self._rules[i].added]
        waiting = [i for i in rng.sample(allowed, len(allowed)) if not self._rules[i].added]
        left = limit
        while left:
            _, present = self._able(chosen, constructors)
            ready = [i for i in waiting if any(matched <= present for matched, _ in self._rules[i].sides)]
            if not ready:
                break
            turn = dict.fromkeys(ready[: min(left, max(limit // _TURNS, 1))])
            chosen += turn
            left -= len(turn)
            waiting = [i for i in waiting if i not in turn]
        return self._able(chosen, constructors)

    def _able(self, rules: Collection[int], constructors: frozenset[str]) -> tuple[list[int], frozenset[str]]:
        able: dict[int, None] = {}
        present = constructors
        growing = True
        while growing:
            growing = False
            for i in rules:
                for matched, made in self._rules[i].sides:
                    if (i not in able or not made <= present) and matched <= present:
                        able[i] = None
                        present |= made
                        growing = True
        return sorted(able), present

    def _rulesets(self, present: frozenset[str], bounded: bool) -> list[str]:
        """The commands that combine the language's own rules, as far as they can match."""
        here = sorted(present & constructors().keys())
        mentioned = [name for name in here if name in self._mentioned]
        known = [bounds.ruleset_of(name) for name in here if name in with_bounds()] if bounded else []
        return [
            f"(unstable-combined-ruleset types-here analysis {' '.join(map(types_of, mentioned))})",
            f"(unstable-combined-ruleset expand-here exact {' '.join(map(expand_of, mentioned))})",
            f"(unstable-combined-ruleset bounds-here {' '.join(['bounds', *known] if bounded else ['nothing'])})",
        ]

    def _loaded(self) -> bindings.EGraph:
        if self._base is None or self._cycles >= _CYCLES_PER_BASE:
            self._base, self._cycles = bindings.EGraph(), 0
            programs = [*prelude(self._words, self._mentioned, self._bounded), "(ruleset nothing)"]
            if self._patterns:
                programs += commands(DECLARATIONS)
            for pattern in self._patterns:
                programs += commands(pattern.program)
            for i, rule in enumerate(self._rules):
                programs += [f"(ruleset {_own_ruleset(i)})", rulefiles.moved(rule, _own_ruleset(i))]
            for program in programs:  # one by one: every part of a parsed program holds the text of all of it
                self._base.run_program(*self._base.parse_program(program))
        self._cycles += 1
        return self._base

    def _run(
        self, egraph: bindings.EGraph, enabled: Sequence[int], graphs: int, rng: random.Random
    ) -> tuple[int, str, dict[str, int]]:
        share = (graphs + 1) / 2
        rule_of = {name: i for i in enabled for name in self._rules[i].names}
        fired: Counter[int] = Counter()
        resting: set[int] = set()
        egraph.run_program(_analyse(_FIRST_ROUNDS))
        iteration, size = 0, count_enodes(egraph)
        limit = max(self._budget.enodes * share, self._budget.growth * size)
        stopped_by = ""
        growth = 1.0
        while not stopped_by and iteration < self._budget.iterations:
            if size * growth > _OVERSHOOT * limit:  # expects the next iteration to grow as the last one did
                stopped_by = "enodes"
                break
            iteration += 1
            before, matches = size, Counter[int]()
            active = [i for i in enabled if i not in resting]
            for command in _groups(egraph, active, iteration, rng):
                output = egraph.run_program(command)[0]
                assert isinstance(output, bindings.RunScheduleOutput)
                for name, number in output.report.num_matches_per_rule.items():
                    if name in rule_of and number:
                        matches[rule_of[name]] += number
                size = count_enodes(egraph)
                if matches.total() > self._budget.matches * share:
                    stopped_by = "matches"
                elif size > limit:
                    stopped_by = "enodes"
                if stopped_by:
                    break
            egraph.run_program(_analyse(_FURTHER_ROUNDS))
            fired += matches
            growth = size / max(before, 1)
            if not stopped_by and size == before and not matches and not resting:
                stopped_by = "saturated"
            resting = {i for i, number in matches.items() if number > self._budget.rule_matches * share}
        counts = {self._rules[i].name: number for i, number in fired.items()}
        return iteration, stopped_by or "iterations", dict(sorted(counts.items()))

    def _matched(self, egraph: bindings.EGraph, present: frozenset[str]) -> EGraphView:
        """Match the patterns whose operators may be there, and read the e-graph."""
        able = [pattern for pattern in self._patterns if pattern.mentioned <= present]
        if able:
            rulesets = " ".join(pattern.ruleset for pattern in able)
            combined = f"(unstable-combined-ruleset patterns-here {rulesets})"
            prepared = f"(run-schedule (saturate (run {PREPARATION})) (saturate (run types-here)))"
            for program in (combined, prepared, "(run patterns-here 1)"):
                egraph.run_program(*egraph.parse_program(program))
        view = freeze(egraph, able)
        return replace(view, matches=[match for match in view.matches if holds(view.classes, *match)])


def constructors_in(graphs: Sequence[Graph]) -> frozenset[str]:
    """The constructors of the terms that graphs may be encoded in, and `Splat` where they have constants."""
    found = {primitives.EXPAND} | ({"Splat"} if any(graph.constants for graph in graphs) else set())
    for graph in graphs:
        for node in graph.nodes:
            op = entry(node)
            constructor = constructor_for(op, len(node.inputs)) if op else None
            if constructor:
                found.add(constructor.name)
    return frozenset(found)


# --- commands --------------------------------------------------------------------------------------------------------


@cache
def _here() -> bindings.RustSpan:
    """The source location of commands, which egglog requires."""
    return bindings.RustSpan(__file__, 0, 0)


def _own_ruleset(rule: int) -> str:
    """The ruleset of one rule: a run combines the rulesets of its enabled rules, and all others cost nothing."""
    return f"rule-{rule}"


def _groups(
    egraph: bindings.EGraph, rules: Sequence[int], iteration: int, rng: random.Random
) -> list[bindings.RunSchedule]:
    """The commands that run all rules once, in groups; the language's own rules are in the first group."""
    shuffled = rng.sample(rules, len(rules))
    commands = []
    for g in range(_GROUPS):
        own = [_own_ruleset(i) for i in shuffled[g::_GROUPS]] + (["expand-here"] if g == 0 else [])
        if own:
            name = f"group-{iteration}-{g}"
            egraph.run_program(*egraph.parse_program(f"(unstable-combined-ruleset {name} {' '.join(own)})"))
            commands.append(bindings.RunSchedule(_ruleset(name)))
    return commands


def _ruleset(name: str) -> bindings.Run:
    return bindings.Run(_here(), bindings.RunConfig(name))


def _analyse(rounds: int) -> bindings.RunSchedule:
    """Derive shapes and types until nothing changes, and value bounds for some rounds."""
    types = bindings.Saturate(_here(), _ruleset("types-here"))
    known = bindings.Repeat(_here(), rounds, _ruleset("bounds-here"))
    return bindings.RunSchedule(bindings.Sequence(_here(), [types, known]))
