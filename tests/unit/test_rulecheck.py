"""The checks of rules find false rules, explain them clearly, and accept true rules."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from polyjuice.cli import app
from polyjuice.egraph import Rule, load
from polyjuice.egraph.sexpr import parsed
from polyjuice.frameworks.onnx import graph_files
from polyjuice.interpret import evaluate
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.rulecheck import conditions, soundness
from polyjuice.rulecheck.coherence import coherence
from polyjuice.rulecheck.rule_instances import NoInstance, draw, values
from polyjuice.rulecheck.soundness import Check, check
from polyjuice.rulecheck.terms import directions, left_side


def rules_of(text: str, folder: Path) -> list[Rule]:
    """The directions of the one rule in a text."""
    file = folder / "mine.egg"
    file.write_text(f'{text[:-1]} :name "mine") ; a claim\n')
    (rule,) = load([file], defaults=False)
    return directions(rule)


def first_refutation(text: str, folder: Path) -> Check:
    return next((c for rule in rules_of(text, folder) if (c := check(rule, 40)).counterexample), Check(0))


FALSE = {
    "subtraction commutes": "(rewrite (Sub x y) (Sub y x) :ruleset exact)",
    "a product of transposes": (
        "(rewrite (Transpose (MatMul (Transpose x (vec-of 1 0)) (Transpose y (vec-of 1 0))) (vec-of 1 0))"
        " (MatMul x y) :ruleset modular)"
    ),
    "concatenation on one axis interchanges": (
        "(rewrite (Concat2 (Concat2 x y a) (Concat2 z w a) b)"
        " (Concat2 (Concat2 x z b) (Concat2 y w b) a) :ruleset exact)"
    ),
    "concatenation interchanges where the blocks do not meet": (
        "(rewrite (Concat2 (Concat2 x y a) (Concat2 z w a) b)"
        " (Concat2 (Concat2 x z b) (Concat2 y w b) a) :ruleset exact :when ((!= a b)))"
    ),
    "the root of a square, for negative numbers too": "(rewrite (Sqrt (Mul x x)) x :ruleset real)",
    "floats associate": "(birewrite (Add (Add x y) z) (Add x (Add y z)) :ruleset exact)",
    "the other half of a split": "(rewrite (Split (Concat2 x y a) a s 0) y :ruleset exact)",
    "the mean is the sum": "(rewrite (ReduceMean x a k n) (ReduceSum x a k n) :ruleset real)",
    "exp is nearly 1 + x": (
        "(rule ((= e (Exp x)) (= s (shape x)) (= t (dtype x))) ((union e (Add x (Splat 1.0 s t)))) :ruleset real)"
    ),
    "a sign is lost": "(rewrite (Abs x) x :ruleset real)",
    "zero times infinity": "(rewrite (Mul x (Splat 0.0 s t)) (Splat 0.0 s t) :ruleset exact)",
    "not less, for NaN too": "(rewrite (Not (Less x y)) (GreaterOrEqual x y) :ruleset exact)",
    "integers have reciprocals": "(birewrite (Div x y) (Mul x (Reciprocal y)) :ruleset real)",
    "integer division distributes": "(rewrite (Div (Add x y) z) (Add (Div x z) (Div y z)) :ruleset real)",
    "every transposition undoes itself": "(rewrite (Transpose (Transpose x p) p) x :ruleset exact)",
    "a cast in between loses nothing": "(rewrite (Cast (Cast x t) u) (Cast x u) :ruleset exact)",
    "the logarithm of a product, for negative numbers too": (
        "(rewrite (Log (Mul x y)) (Add (Log x) (Log y)) :ruleset real)"
    ),
    "the sum of two kept axes is that of one": (
        "(rewrite (ReduceSum (ReduceSum x a k n) b k n) (ReduceSum x a k n) :ruleset modular)"
    ),
    "the least integer has an absolute value": "(rewrite (Mul (Abs x) (Abs y)) (Abs (Mul x y)) :ruleset exact)",
    "bounds say less than nothing": "(rewrite (Relu x) x :ruleset exact :when ((< -7.0 (lo x))))",
    "matrices commute": "(rewrite (MatMul x y) (MatMul y x) :ruleset modular)",
    "softmax needs no sum": "(rewrite (Softmax x a) (Exp x) :ruleset real)",
    "a window of one is the pool": "(rewrite (MaxPool x k s p d c) x :ruleset exact)",
    "a greatest element exists": "(rewrite (Relu (ReduceMax x a k n)) (ReduceMax (Relu x) a k n) :ruleset exact)",
    "a kernel has no sign": "(rewrite (Conv2 x w a b c d) (Conv2 x (Neg w) a b c d) :ruleset real)",
}


@pytest.mark.parametrize("claim", FALSE)
def test_a_false_rule_is_refuted(claim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "_SMALL_DRAWS", 8)  # another test checks that the smallest is found
    found = first_refutation(FALSE[claim], tmp_path).counterexample
    assert found, "no instance shows that the rule is false"
    assert found.left != found.right


def test_a_counterexample_is_small_and_can_be_checked_by_hand(tmp_path: Path) -> None:
    found = first_refutation(FALSE["subtraction commutes"], tmp_path).counterexample
    assert found
    assert (found.left, found.right) == ("(Sub x y)", "(Sub y x)")
    assert found.size <= 2
    x, y = (float(found.values[name].strip("[]")) for name in "xy")
    assert {abs(x), abs(y)} <= {0.0, 1.0, 2.0}
    x, y = np.array([x, y]).astype(found.types["x"].partition("[")[0])  # unsigned numbers wrap around
    with np.errstate(over="ignore"):
        assert float(found.left_value.strip("[]")) == x - y
        assert float(found.right_value.strip("[]")) == y - x
    assert str(found).splitlines()[:2] == ["(Sub x y)", "  is not (Sub y x)"]


TRUE = {
    "the root of a square, where it is one": "(rewrite (Sqrt (Mul x x)) x :ruleset real :when ((NonNegative x)))",
    "zero times a finite number": "(rewrite (Mul x (Splat 0.0 s t)) (Splat 0.0 s t) :ruleset exact :when ((Finite x)))",
    "relu of what is positive": "(rewrite (Relu x) x :ruleset exact :when ((<= 0.0 (lo x))))",
    "integers associate": "(birewrite (Add (Add x y) z) (Add x (Add y z)) :ruleset exact :when ((Integer x)))",
    "a cast through a wider type": (
        "(rewrite (Cast (Cast x t) u) (Cast x u) :ruleset exact :when ((= w (dtype x)) (Widens w t)))"
    ),
    "at a site": '(rule ((Site "mine" x) (Float x)) ((union x (Neg (Neg x)))) :ruleset exact)',
}


@pytest.mark.parametrize("claim", TRUE)
def test_a_true_rule_is_sound(claim: str, tmp_path: Path) -> None:
    for rule in rules_of(TRUE[claim], tmp_path):
        found = check(rule, 40)
        assert not found.counterexample, str(found.counterexample)
        assert found.trials == 40


def test_a_rule_that_nothing_matches_is_untested(tmp_path: Path) -> None:
    (rule,) = rules_of(
        "(rewrite (Neg x) (Neg (Neg (Neg x))) :ruleset exact"
        " :when ((= 9 (vec-length (shape x))) (= 2 (vec-length (shape x)))))",
        tmp_path,
    )
    assert check(rule, 2).trials == 0


def test_rules_that_contradict_each_other_do_not_cohere(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('(rewrite (Relu x) x :ruleset real :name "one") ; no\n')
    found = coherence(load([file], defaults=False), range(120), 0)
    assert found.fired["one"]
    assert any("(Relu" in text for text in found.incoherent)


# --- instances --------------------------------------------------------------------------------------------------------


def test_instances_are_drawn_from_the_seed_alone() -> None:
    rule = directions(load(only=["mul-distributes-over-add"])[0])[0]
    one, other = (draw(rule, random.Random(7), "float32") for _ in range(2))
    assert one == other


def test_values_keep_to_the_declared_intervals() -> None:
    rule = directions(load(only=["mul-distributes-over-add"])[0])[0]
    seen = 0
    for number in range(300):
        try:
            instance = draw(rule, random.Random(number), "float32")
        except NoInstance:
            continue
        arrays = values(instance, np.random.default_rng(number), extreme=False, whole=False)
        evaluate(instance.graph, arrays)
        for name, array in zip(instance.graph.inputs, arrays, strict=True):
            if name in instance.ranges:
                low, high = instance.ranges[name]
                assert np.all(array >= low)
                assert np.all(array <= high)
                seen += 1
    assert seen > 20


def test_a_left_side_is_found_behind_any_number_of_conditions(tmp_path: Path) -> None:
    (rule,) = rules_of(
        "(rule ((= s (shape x)) (= e (Add x y)) (= 2 (vec-length s))) ((union e (Add y x))) :ruleset exact)", tmp_path
    )
    side = left_side(rule)
    assert side.term == "e"
    assert ["Add", "x", "y"] in side.equations["e"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(vec-get (shape x) 1)", 3),
        ("(vec-set (shape x) 0 7)", (7, 3)),
        ('(unstable-vec-map (unstable-fn "vec-get" (shape x)) p)', (3, 2)),
        ("(/ -7 2)", -3),
        ("(* 2.0 (to-f64 (vec-length (shape x))))", 4.0),
        ("(dtype x)", "float32"),
    ],
)
def test_a_condition_s_expression_has_egglog_s_value(text: str, expected: object) -> None:
    known = {"x": "x", "p": (1, 0)}
    assert conditions.value(parsed(text), known, {"x": TensorType("float32", (2, 3))}) == expected


@pytest.mark.parametrize(
    ("text", "refuted"),
    [
        ("(= 2 (vec-length (shape x)))", False),
        ("(= 3 (vec-length (shape x)))", True),
        ("(Integer x)", True),
        ("(Float x)", False),
        ("(= s (shape x))", False),
        ("(< 1 (vec-get (shape x) 5))", True),
        ("(Positive x)", False),
    ],
)
def test_what_a_condition_refutes(text: str, refuted: bool) -> None:
    assert conditions.refuted(parsed(text), {"x": "x"}, {"x": TensorType("float32", (2, 3))}) == refuted


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_reports_each_rule(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text(
        '(rewrite (Sub x y) (Sub y x) :ruleset exact :name "my-false") ; no\n'
        '(birewrite (Neg (Neg x)) x :ruleset exact :name "my-true") ; yes\n'.replace("birewrite", "rewrite")
    )
    ran = CliRunner().invoke(app, ["rules", "check", "my-*", "--rules", str(file), "--trials", "10", "--json"])
    assert ran.exit_code == 1, ran.output
    report = json.loads(ran.stdout)
    assert (report["sound"], report["unsound"], report["untested"]) == (1, 1, 0)
    false, true = report["rules"]
    assert (false["name"], false["status"], false["line"]) == ("my-false", "unsound", 1)
    assert false["counterexample"]["left"] == "(Sub x y)"
    assert (true["name"], true["status"], true["trials"], true["counterexample"]) == ("my-true", "sound", 10, None)


def test_the_command_says_what_disagrees(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('(rewrite (Sub x y) (Sub y x) :ruleset exact :name "my-false") ; no\n')
    ran = CliRunner().invoke(app, ["rules", "check", "my-*", "--rules", str(file), "--trials", "3"])
    assert ran.exit_code == 1
    assert "unsound my-false" in ran.stdout
    assert "is not (Sub y x)" in ran.stdout


def test_a_rule_is_shown_with_an_example_and_how_often_it_fired(tmp_path: Path) -> None:
    campaign, model = tmp_path / "campaign", tmp_path / "sum.onnx"
    build = GraphBuilder()
    x, y = build.input(TensorType("float32", (3, 4))), build.input(TensorType("float32", (4,)))
    graph_files.save(build.build([build.op("Add", x, y)]), model)
    options = ["--only-rule", "add-commutative", "--seeds", str(model), "--out", str(campaign), "--json"]
    fuzzed = CliRunner().invoke(app, ["fuzz", "--compiler", "numpy", "-n", "3", *options])
    summary = json.loads(fuzzed.stdout)
    shown = CliRunner().invoke(app, ["rules", "show", "add-commutative", "--campaign", str(campaign)])
    assert shown.exit_code == 0
    assert "x + y = y + x" in shown.stdout
    assert "before (Add x y)" in shown.stdout
    assert "after  (Add y x)" in shown.stdout
    assert f"fired in the e-graphs of {summary['tested']} of {summary['tested']} cases" in shown.stdout


@pytest.mark.parametrize(
    "text",
    [
        "(rule ((= e (Neg x)) (= x (Neg e))) ((union e x)) :ruleset real)",
        "(rule ((= e (Neg x)) (= s (vec-remove (shape x) 7))) ((union e (Reshape x s 0))) :ruleset real)",
    ],
)
def test_a_rule_that_cannot_be_tried_is_untested(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text(f'{text[:-1]} :name "mine") ; no\n')
    ran = CliRunner().invoke(app, ["rules", "check", "mine", "--rules", str(file), "--trials", "2", "--json"])
    assert ran.exit_code == 1
    assert json.loads(ran.stdout)["untested"] == 1
