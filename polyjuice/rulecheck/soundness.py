"""Check whether a rule is true: saturate random typed instances of its left side, and compare the terms made equal.

Each instance is saturated with this one rule, and the interpreter evaluates every e-node of every e-class. In float64,
terms may differ by their error bounds (exact terms, whose integers their types hold, by nothing). Where the rule's
ruleset claims it, they must also agree bit for bit in the instance's own types.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyjuice.egraph import Budget, Classes, Rewriter, Rule, classes
from polyjuice.egraph.pattern_instances import Instance, NoInstance, draw, values
from polyjuice.egraph.terms import term
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, array_text, dtypes, prune
from polyjuice.numerics import Analysis, analyse, apart, distance

#: Instances that share an e-graph.
_BATCH = 16

#: Draws for each requested trial, and the fewest draws, before a rule counts as untested.
_DRAWS_PER_TRIAL, _LEAST_DRAWS = 300, 4000

#: Further small instances, to find the smallest counterexample.
_SMALL_DRAWS = 400

_BUDGET = Budget(rules=None, iterations=1, enodes=4000, matches=4000)

BIT_FOR_BIT = {"exact": dtypes.EVERY, "modular": (*dtypes.INTS, "bool")}
"""The element types in which the rules of a ruleset hold bit for bit, on overflow too."""


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """Two terms that a rule makes equal though they differ, with the inputs, both values, and the problem."""

    left: str
    right: str
    types: dict[str, str]
    values: dict[str, str]
    left_value: str
    right_value: str
    problem: str
    size: int

    def __str__(self) -> str:
        lines = [self.left, f"  is not {self.right}"]
        for name, t in self.types.items():
            lines.append(f"    {name}: {t}" + (f" = {self.values[name]}" if name in self.values else ""))
        if self.left_value:
            lines += [f"    left  = {self.left_value}", f"    right = {self.right_value}"]
        return "\n".join([*lines, f"    {self.problem}"])


@dataclass(frozen=True)
class Check:
    """The result for one direction of a rule: conclusive trials, the counterexample, and why egglog failed."""

    trials: int
    counterexample: Counterexample | None = None
    problem: str = ""


def check(rule: Rule, trials: int, seed: int | str = 0) -> Check:
    """Try one direction of a rule until ``trials`` instances were conclusive, or one refutes it."""
    rewriter = Rewriter([rule], _BUDGET)
    done = 0
    problems: list[str] = []
    for number, instances in enumerate(_batches(rule, seed, max(trials * _DRAWS_PER_TRIAL, _LEAST_DRAWS))):
        for instance, known in _saturated(rewriter, instances, f"{seed} {number}", problems):
            conclusive, found = _refutation(rule, instance, known, f"{rule.name} {seed} {number}")
            if found:
                return Check(done + 1, _smallest(rule, rewriter, found, seed))
            done += conclusive
            if done >= trials:
                return Check(done)
        if len(problems) >= trials:
            break
    return Check(done, problem=next(iter(problems), ""))


def _batches(rule: Rule, seed: int | str, draws: int, small: bool = False) -> Iterator[list[Instance]]:
    found: list[Instance] = []
    for number in range(draws):
        try:
            found.append(
                draw(
                    rule, random.Random(f"{rule.name} {seed} {number}"), dtypes.EVERY[number % len(dtypes.EVERY)], small
                )
            )
        except NoInstance:
            continue
        if len(found) == _BATCH:
            yield found
            found = []
    if found:
        yield found


def _saturated(
    rewriter: Rewriter, instances: Sequence[Instance], seed: str, problems: list[str]
) -> Iterator[tuple[Instance, Classes]]:
    """Each instance with the terms that the rule makes of it; egglog's failures are added to ``problems``."""
    try:
        saturated = rewriter.saturate([i.graph for i in instances], seed, [i.ranges for i in instances])
    except GraphError as error:
        if len(instances) == 1:
            problems.append(str(error))
        else:
            for instance in instances:
                yield from _saturated(rewriter, [instance], seed, problems)
        return
    if saturated.rules:
        for k, instance in enumerate(instances):
            known = classes(saturated, k)
            if known.groups or known.ill_typed:
                yield instance, known


# --- one instance ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Refuted:
    """An instance on which two terms differ: their names, the inputs (none for ill-typed terms), and the problem."""

    instance: Instance
    graph: Graph
    left: str
    right: str = ""
    inputs: Sequence[np.ndarray] = ()
    problem: str
    bitwise: bool = False

    @property
    def size(self) -> tuple[int, int]:
        return sum(x.size for x in self.inputs), sum(x.ndim for x in self.inputs)


def _refutation(rule: Rule, instance: Instance, known: Classes, seed: str) -> tuple[bool, _Refuted | None]:
    """(conclusive, counterexample): whether the instance could refute the rule, and how it does."""
    if known.ill_typed:
        name = instance.graph.outputs[0]
        return True, _Refuted(
            instance=instance, graph=instance.graph, left=name, problem=f"ill typed: {known.ill_typed[0]}"
        )
    types = known.graph.types
    for group in known.groups:
        for name in group[1:]:
            if types[name] != types[group[0]]:
                problem = f"the types differ: {types[group[0]]} and {types[name]}"
                return True, _Refuted(instance=instance, graph=known.graph, left=group[0], right=name, problem=problem)
    conclusive = False
    generator = np.random.default_rng(list(seed.encode()))
    exactly = {t.dtype for t in types.values()} <= set(BIT_FOR_BIT.get(rule.ruleset, ()))
    for whole in (True, False):
        inputs = values(instance, generator, False, whole)
        could, found = _apart(instance, known, inputs)
        conclusive |= could
        if found is None and exactly:
            found = _differing_bits(instance, known, values(instance, generator, not whole, whole))
        if found:
            return True, found
    return conclusive or exactly, None


def _apart(instance: Instance, known: Classes, inputs: Sequence[np.ndarray]) -> tuple[bool, _Refuted | None]:
    """(conclusive, counterexample): the same in float64, for terms that differ by more than their error bounds."""
    graph = known.graph
    try:
        analyses = dict(zip(graph.outputs, analyse(graph, inputs, "float64", True), strict=True))
    except EvaluationError as error:
        return _without_value(instance, known, inputs, str(error))
    conclusive = False
    for group in known.groups:
        a = analyses[group[0]]
        for name in group[1:]:
            b = analyses[name]
            conclusive |= bool(np.isfinite(a.bound + b.bound).any())
            if problem := _difference(a, b):
                return True, _Refuted(
                    instance=instance, graph=graph, left=group[0], right=name, inputs=inputs, problem=problem
                )
    return conclusive, None


def _difference(a: Analysis, b: Analysis) -> str:
    """How two values differ: by more than their errors, or one is known where the other is NaN or infinite; or ""."""
    if np.any(apart(a, b)):
        return "the values differ"
    for this, other in ((a, b), (b, a)):
        if np.any(np.isfinite(this.bound) & ~np.isfinite(other.reference)):
            return "only one of them is a finite number"
    return ""


def _without_value(
    instance: Instance, known: Classes, inputs: Sequence[np.ndarray], problem: str
) -> tuple[bool, _Refuted | None]:
    """(conclusive, counterexample): a term without a value refutes the rule where the matched term has one."""
    try:
        evaluate(instance.graph, inputs, "float64")
    except EvaluationError:
        return False, None
    graph = known.graph
    for group in known.groups:
        for name in group:
            try:
                evaluate(prune(replace(graph, outputs=(name,))), inputs, "float64")
            except EvaluationError:
                other = next(n for n in group if n != name)
                return True, _Refuted(
                    instance=instance,
                    graph=graph,
                    left=other,
                    right=name,
                    inputs=inputs,
                    problem=f"no value: {problem}",
                )
    return False, None


def _differing_bits(instance: Instance, known: Classes, inputs: Sequence[np.ndarray]) -> _Refuted | None:
    graph = known.graph
    try:
        results = dict(zip(graph.outputs, evaluate(graph, inputs), strict=True))
    except EvaluationError as error:
        return _without_value(instance, known, inputs, str(error))[1]
    for group in known.groups:
        for name in group[1:]:
            if np.any(distance(results[group[0]], results[name]) > 0):
                return _Refuted(
                    instance=instance,
                    graph=graph,
                    left=group[0],
                    right=name,
                    inputs=inputs,
                    problem="the values differ bit for bit",
                    bitwise=True,
                )
    return None


# --- the smallest counterexample -------------------------------------------------------------------------------------


def _smallest(rule: Rule, rewriter: Rewriter, found: _Refuted, seed: int | str) -> Counterexample:
    """The counterexample with the fewest and roundest values that further small instances show."""
    best = found
    for number, instances in enumerate(_batches(rule, f"{seed} small", _SMALL_DRAWS, small=True)):
        for instance, known in _saturated(rewriter, instances, f"{seed} {number}", []):
            _, other = _refutation(rule, instance, known, f"{rule.name} {seed} small {number}")
            if other and other.inputs and (not best.inputs or other.size < best.size):
                best = other
    return _described(_rounded(best))


def _rounded(found: _Refuted) -> _Refuted:
    """The counterexample with as many values as possible replaced by small round ones."""
    inputs = [x.copy() for x in found.inputs]
    for name, x in zip(found.graph.inputs, inputs, strict=False):
        if name in found.instance.operands:
            continue
        low, high = found.instance.ranges.get(name, (-np.inf, np.inf))
        flat = x.reshape(-1)
        for i in range(flat.size):
            original = flat[i].copy()
            for candidate in (0, 1, 2, -1, 0.5, 3):
                if not low <= candidate <= high or (candidate < 0 and x.dtype.kind in "ub"):
                    continue
                flat[i] = candidate
                if complex(flat[i]) == candidate and _shows(found, inputs):
                    break
                flat[i] = original
    return replace(found, inputs=inputs)


def _shows(found: _Refuted, inputs: Sequence[np.ndarray]) -> bool:
    pair = Classes(replace(found.graph, outputs=(found.left, found.right)), ((found.left, found.right),), ())
    again = _differing_bits(found.instance, pair, inputs) if found.bitwise else _apart(found.instance, pair, inputs)[1]
    return again is not None and again.problem == found.problem


def _described(found: _Refuted) -> Counterexample:
    graph = found.graph
    used = {name for node in graph.nodes for name in node.inputs} | {found.left, found.right}
    values = {n: x for n, x in zip(graph.inputs, found.inputs, strict=False) if n in used}
    left = right = ""
    if found.inputs:
        precision = None if found.bitwise else "float64"
        left, right = (_value(graph, name, found.inputs, precision) for name in (found.left, found.right))
    return Counterexample(
        left=term(graph, found.left),
        right=term(graph, found.right) if found.right else "the right side, which is ill typed",
        types={name: str(graph.types[name]) for name in values or graph.inputs},
        values={name: array_text(x) for name, x in values.items()},
        left_value=left,
        right_value=right,
        problem=found.problem,
        size=found.size[0],
    )


def _value(graph: Graph, name: str, inputs: Sequence[np.ndarray], precision: str | None) -> str:
    try:
        return array_text(evaluate(prune(replace(graph, outputs=(name,))), inputs, precision)[0])
    except EvaluationError as error:
        return str(error)
