"""The rule files, the messages about mistakes in them, and the checks that refute false rules."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from polyjuice.egraph import Budget, Rewriter, Rule, RuleError, conditions, load
from polyjuice.egraph.language import EXACTNESS
from polyjuice.egraph.pattern_instances import NoInstance, draw, values
from polyjuice.egraph.sexpr import parsed
from polyjuice.egraph.terms import directions, left_side
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.rulecheck import soundness
from polyjuice.rulecheck.coherence import coherence
from polyjuice.rulecheck.soundness import Check, check
from tests.support.commands import fuzz, polyjuice, save_model
from tests.support.graphs import apply, graph
from tests.support.shares import one_in

RULES = {rule.name: rule for rule in load()}

PAPER = """
add-commutative mul-commutative add-associative mul-associative mul-distributes-over-add matmul-associative
matmul-linear-right matmul-linear-left transpose-transpose transpose-add transpose-mul matmul-transpose add-transposed
mul-transposed matmul-transposed split-concat-first split-concat-second add-in-split-concat mul-in-split-concat
transpose-in-split-concat concat-in-split-concat concat-interchange
"""
"""The names of the rules of PolyJuice, table 1."""


def test_every_rule_of_the_paper_is_there() -> None:
    assert set(PAPER.split()) <= RULES.keys()


def test_every_rule_has_a_name_of_its_own_a_ruleset_and_a_comment() -> None:
    assert len(load()) == len(RULES)
    for rule in RULES.values():
        assert rule.ruleset in EXACTNESS
        assert len(rule.comment) >= 5, f"{rule.file}:{rule.line}: {rule.name} lacks its mathematics"


def test_a_rule_knows_its_file_and_line() -> None:
    for rule in RULES.values():
        lines = rule.file.read_text(encoding="utf-8").splitlines()
        assert lines[rule.line - 1].startswith(rule.text.splitlines()[0])


GOOD = '(rewrite (Neg x) x :ruleset exact :name "good") ; c'

MISTAKES = {
    "an unknown constructor": ('(rewrite (Foo x) x :ruleset exact :name "a")', "Unbound function Foo"),
    "an unbound variable": ('(rewrite (Neg x) y :ruleset exact :name "a")', "Unbound symbol y"),
    "too many arguments": ('(rewrite (Neg x z) x :ruleset exact :name "a")', "expected 1 args"),
    "an argument of the wrong sort": ('(rewrite (Neg x) (Transpose x 3) :ruleset exact :name "a")', "type Ints"),
    "no name": ("(rewrite (Neg x) x :ruleset exact)", "add :name"),
    "an empty name": ('(rewrite (Neg x) x :ruleset exact :name "")', "add :name"),
    "no ruleset": ('(rewrite (Neg x) x :name "a")', "exact, modular, real"),
    "an unknown ruleset": ('(rewrite (Neg x) x :ruleset fast :name "a")', "exact, modular, real"),
    "an unknown option": ('(rewrite (Neg x) x :rulset exact :name "a")', "parse"),
    "a missing right side": ("(rewrite (Neg x))", "usage"),
    "a name used twice": ('(rewrite (Abs x) x :ruleset exact :name "good")', "has a rule 'good' too: rename one"),
    "a name that egglog gives": (
        '(birewrite (Neg x) (Abs x) :ruleset exact :name "b") (rewrite (Abs x) x :ruleset exact :name "b=>")',
        "too: rename one",
    ),
    "an unclosed parenthesis": ('(rewrite (Neg x) x :ruleset exact :name "a"', "is not closed"),
    "a parenthesis too many": ('(rewrite (Neg x) x :ruleset exact :name "a"))', "too many"),
    "an unclosed string": ('(rewrite (Neg x) x :ruleset exact :name "a)', "string is not closed"),
    "another command": ("(ruleset fast)", "holds only"),
    "text that is no comment": ("x + y = y + x", "begins with ;"),
    "an input by number": ('(rewrite (Neg x) (Input 0) :ruleset exact :name "a")', "Input"),
    "an opaque operator": ('(rewrite (Neg x) (Other 0 (vec-of x) 0) :ruleset exact :name "a")', "Other"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_with_its_place(mistake: str, tmp_path: Path) -> None:
    text, expected = MISTAKES[mistake]
    file = file_of(f"{GOOD}\n\n{text}", tmp_path)
    with pytest.raises(RuleError) as caught:
        load([file], defaults=False)
    message = str(caught.value)
    assert message.startswith(f"{file}:3: ")
    assert expected in message
    assert "\n" not in message


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"nowhere\.egg: no such rule file or folder"):
        load([tmp_path / "nowhere.egg"])
    (tmp_path / "binary.egg").write_bytes(b"\xff\xfe(rewrite")
    with pytest.raises(RuleError, match=r"binary\.egg: cannot be read"):
        load([tmp_path])


def test_a_mistake_on_a_later_line_of_a_rule_is_placed_at_its_beginning(tmp_path: Path) -> None:
    file = file_of('; two\n(rewrite (Neg x)\n         (Foo x)\n         :ruleset exact :name "a")', tmp_path)
    with pytest.raises(RuleError, match=rf"{re.escape(str(file))}:2: rule 'a': Unbound function Foo"):
        load([file], defaults=False)


def test_a_name_of_the_default_rules_is_taken(tmp_path: Path) -> None:
    file = file_of('(rewrite (Neg (Neg x)) x :ruleset exact :name "neg-neg") ; -(-x) = x', tmp_path)
    with pytest.raises(RuleError, match=r"mine\.egg:1: .*arithmetic\.egg:\d+ has a rule 'neg-neg' too: rename one"):
        load([file])
    assert [rule.name for rule in load([file], defaults=False)] == ["neg-neg"]


def test_names_of_the_language_s_own_rules_are_free(tmp_path: Path) -> None:
    """The rules that the operator table generates do not use names that a user's rule may have."""
    text = (
        '(birewrite (Relu (Neg (Neg x))) (Relu x) :ruleset exact :name "expand-Relu") ; c\n'
        '(rewrite (Neg (Neg (Neg x))) (Neg x) :ruleset exact :name "expand-twice") ; c'
    )
    rewriter = Rewriter(load([file_of(text, tmp_path)], defaults=False))
    assert set(rewriter.rewrite(graph("float32[2,3] x", "Neg(Neg(Neg(x)))"), 0).rules) == {"expand-twice"}


@pytest.mark.parametrize(
    ("text", "name", "line", "comment"),
    [
        ('; say "hi :-(\n(rewrite (Neg x) x ; inside :-)\n  :ruleset exact :name "a (b)") ; the ";" at the end',
         "a (b)", 2, 'the ";" at the end'),
        ('; not this\n\n; one\n; two\n(rewrite (Neg x) x :ruleset exact :name "a")', "a", 5, "one two"),
    ],
)  # fmt: skip
def test_comments_stand_beside_or_above_a_rule(text: str, name: str, line: int, comment: str, tmp_path: Path) -> None:
    (rule,) = load([file_of(text, tmp_path)], defaults=False)
    assert (rule.name, rule.line, rule.comment) == (name, line, comment)


def test_only_and_without_are_patterns() -> None:
    chosen = [rule.name for rule in load(only=["transpose-*", "neg-neg"], without=["*-tanh", "*-s*"])]
    assert "neg-neg" in chosen
    assert "transpose-add" in chosen
    assert all(name == "neg-neg" or name.startswith("transpose-") for name in chosen)
    assert not {"transpose-tanh", "transpose-sub", "transpose-sigmoid"} & set(chosen)
    assert len(load(without=["add-commutative"])) == len(RULES) - 1


@pytest.mark.parametrize("options", [{"only": ["no-such-*"]}, {"without": ["no-such-*"]}])
def test_a_pattern_that_matches_nothing_is_a_mistake(options: dict[str, list[str]]) -> None:
    with pytest.raises(RuleError, match=r"no rule matches 'no-such-\*'"):
        load(**options)


TRIALS = 4


@pytest.mark.parametrize("name", one_in(10, RULES))
def test_a_rule_is_sound_on_its_own_instances(name: str) -> None:
    for direction in directions(RULES[name]):
        found = check(direction, TRIALS, "test")
        assert not found.counterexample, str(found.counterexample)
        assert found.trials == TRIALS, f"{direction.name}: only {found.trials} instances could tell"


@pytest.mark.parametrize("graphs", [12, pytest.param(200, marks=pytest.mark.long)])
def test_all_rules_together_cohere(graphs: int) -> None:
    found = coherence(list(RULES.values()), range(graphs), "test")
    assert not found.incoherent, "\n".join(found.incoherent)
    assert found.classes > 100


def fired(graph: Graph, *names: str) -> set[str]:
    return set(Rewriter(load(only=names), Budget(rules=None)).rewrite(graph, 0).rules)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("name", ["gemm-beta-moved", "gemm-alpha-moved", "gemm-alpha-out"])
def test_a_fractional_factor_is_moved_in_products_of_floats_alone(name: str, dtype: str) -> None:
    """An integer type does not hold the factor."""
    operands = [f"{dtype}[2,2]"] * (2 if name == "gemm-alpha-out" else 3)
    product = apply("Gemm", *operands, alpha=0.5, beta=0.5, transA=0, transB=0)
    assert fired(product, name) == ({name} if dtype == "float32" else set())


@pytest.mark.parametrize(("exponent", "rules"), [("3.", {"pow-number"}), ("0.5", set()), ("-0.5", set())])
def test_a_power_that_torch_takes_as_a_root_is_no_power(exponent: str, rules: set[str]) -> None:
    """The root of -inf is NaN, and its power is inf."""
    assert fired(apply("aten.pow.Tensor_Scalar", "float32[2]", exponent=exponent), "pow-number") == rules


def test_a_mean_of_more_elements_than_its_type_counts_is_left_alone() -> None:
    """bfloat16 cannot represent 257: sum / 256 would be another mean."""
    for size, rules in ((256, {"mean-as-sum"}), (257, set())):
        assert fired(apply("ReduceMean", f"bfloat16[{size}]", axes=(0,), keepdims=1), "mean-as-sum") == rules


def rules_of(text: str, folder: Path) -> list[Rule]:
    """The directions of the one rule in a text."""
    (rule,) = load([file_of(f'{text[:-1]} :name "mine") ; a claim', folder)], defaults=False)
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
        found = check(rule, 15)
        assert not found.counterexample, str(found.counterexample)
        assert found.trials == 15


def test_a_rule_that_nothing_matches_is_untested(tmp_path: Path) -> None:
    (rule,) = rules_of(
        "(rewrite (Neg x) (Neg (Neg (Neg x))) :ruleset exact"
        " :when ((= 9 (vec-length (shape x))) (= 2 (vec-length (shape x)))))",
        tmp_path,
    )
    assert check(rule, 2).trials == 0


def test_rules_that_contradict_each_other_do_not_cohere(tmp_path: Path) -> None:
    file = file_of('(rewrite (Relu x) x :ruleset real :name "one") ; no', tmp_path)
    found = coherence(load([file], defaults=False), range(60), 0)
    assert found.fired["one"]
    assert any("(Relu" in text for text in found.incoherent)


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


def test_the_command_reports_each_rule(tmp_path: Path) -> None:
    file = file_of(
        '(rewrite (Sub x y) (Sub y x) :ruleset exact :name "my-false") ; no\n'
        '(rewrite (Neg (Neg x)) x :ruleset exact :name "my-true") ; yes',
        tmp_path,
    )
    done = polyjuice("rules", "check", "my-*", "--rules", file, "--trials", 5, "--json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert (report["sound"], report["unsound"], report["untested"]) == (1, 1, 0)
    false, true = report["rules"]
    assert (false["name"], false["status"], false["line"]) == ("my-false", "unsound", 1)
    assert false["counterexample"]["left"] == "(Sub x y)"
    assert (true["name"], true["status"], true["trials"], true["counterexample"]) == ("my-true", "sound", 5, None)


def test_a_rule_is_shown_with_an_example_and_how_often_it_fired(tmp_path: Path) -> None:
    model = save_model(tmp_path / "model.onnx")
    only = ("--only-rule", "add-commutative", "--seeds", model)
    _, summary = fuzz(tmp_path / "campaign", "--compiler", "numpy", "-n", 3, *only)
    shown = polyjuice("rules", "show", "add-commutative", "--campaign", tmp_path / "campaign")
    assert shown.returncode == 0
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
    file = file_of(f'{text[:-1]} :name "mine") ; no', tmp_path)
    done = polyjuice("rules", "check", "mine", "--rules", file, "--trials", 2, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["untested"] == 1


def file_of(text: str, folder: Path) -> Path:
    (folder / "mine.egg").write_text(f"{text}\n")
    return folder / "mine.egg"
