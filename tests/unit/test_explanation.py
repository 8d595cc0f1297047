"""The reason why two graphs are equal: the least set of rules, or none if they are not equal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from polyjuice.egraph import load
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.triage.explanation import accountable, explain

RULES = load()
MATRIX = TensorType("float32", (2, 3))

Body = Callable[[GraphBuilder, str], str]


def graph(body: Body) -> Graph:
    build = GraphBuilder()
    return build.build([body(build, build.input(MATRIX))])


def turned(build: GraphBuilder, x: str) -> str:
    return build.op("Transpose", x, perm=(1, 0))


def plus(build: GraphBuilder, x: str, value: float, shape: tuple[int, ...] = (2, 3)) -> str:
    return build.op("Add", x, build.constant(np.full(shape, value, np.float32)))


PAIRS: dict[str, tuple[Body, Body, set[str]]] = {
    "no rule": (lambda b, x: plus(b, x, 2.0), lambda b, x: plus(b, x, 2.0, ()), set()),
    "one rule": (lambda b, x: b.op("Relu", plus(b, x, 0.0)), lambda b, x: b.op("Relu", x), {"add-zero"}),
    "twice": (lambda b, x: x, lambda b, x: turned(b, turned(b, x)), {"transpose-transpose"}),
    "two rules": (
        lambda b, x: b.op("rsqrt", x, domain="aten"),
        lambda b, x: b.op("Reciprocal", b.op("Pow", x, b.constant(np.float32(0.5)))),
        {"rsqrt-as-reciprocal", "sqrt-as-pow"},
    ),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_least_set_of_rules_is_found(pair: str) -> None:
    a, b, names = PAIRS[pair]
    found = explain(graph(a), graph(b), RULES)
    assert found is not None
    assert {rule.name for rule in found} == names or (pair == "twice" and len(found) == 1)


def test_what_is_not_equal_has_no_explanation() -> None:
    rules = [rule for rule in RULES if rule.name in ("add-zero", "add-commutative", "relu-relu")]
    assert explain(graph(lambda b, x: plus(b, x, 1.0)), graph(lambda b, x: b.op("Relu", x)), rules) is None
    assert explain(graph(lambda b, x: turned(b, x)), graph(lambda b, x: x), rules) is None


def test_rules_of_ones_own_explain_too(tmp_path: Path) -> None:
    (tmp_path / "my.egg").write_text('(rewrite (Abs (Neg x)) (Abs x) :ruleset exact :name "mine") ; |-x| = |x|\n')
    rules = load([tmp_path / "my.egg"], defaults=False)
    found = explain(graph(lambda b, x: b.op("Abs", b.op("Neg", x))), graph(lambda b, x: b.op("Abs", x)), rules)
    assert [(rule.name, rule.comment) for rule in found or ()] == [("mine", "|-x| = |x|")]


def test_rules_that_touch_the_difference_come_first() -> None:
    a, b = graph(lambda b, x: b.op("Relu", b.op("Abs", x))), graph(lambda b, x: b.op("Abs", x))
    found = accountable(a, b, RULES)
    assert 0 < len(found) < len(RULES)
    assert all("Relu" in rule.constructors for rule in found)
