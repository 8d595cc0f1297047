"""The rule files: their content, the messages about mistakes, and the truth of every rule.

`polyjuice rules check` tries each rule more often than these tests.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyjuice.egraph import Budget, Rewriter, RuleError, load
from polyjuice.egraph.language import EXACTNESS
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.rulecheck.coherence import coherence
from polyjuice.rulecheck.soundness import check
from polyjuice.rulecheck.terms import directions
from tests.support.shares import one_in

RULES = {rule.name: rule for rule in load()}

PAPER = {
    "add(x, y) = add(y, x)": "add-commutative",
    "mul(x, y) = mul(y, x)": "mul-commutative",
    "add(x, add(y, z)) = add(add(x, y), z)": "add-associative",
    "mul(x, mul(y, z)) = mul(mul(x, y), z)": "mul-associative",
    "mul(add(x, y), z) = add(mul(x, z), mul(y, z))": "mul-distributes-over-add",
    "matmul(x, matmul(y, z)) = matmul(matmul(x, y), z)": "matmul-associative",
    "matmul(x, add(y, z)) = add(matmul(x, y), matmul(x, z))": "matmul-linear-right",
    "matmul(add(x, y), z) = add(matmul(x, z), matmul(y, z))": "matmul-linear-left",
    "trans(trans(x)) = x": "transpose-transpose",
    "trans(add(x, y)) = add(trans(x), trans(y))": "transpose-add",
    "trans(mul(x, y)) = mul(trans(x), trans(y))": "transpose-mul",
    "trans(matmul(x, y)) = matmul(trans(y), trans(x))": "matmul-transpose",
    "add(x, y) = trans(add(trans(x, r1, r2), trans(y, r3, r4)), r5, r6)": "add-transposed",
    "mul(x, y) = trans(mul(trans(x, r1, r2), trans(y, r3, r4)), r5, r6)": "mul-transposed",
    "matmul(x, y) = trans(matmul(trans(y), trans(x)))": "matmul-transposed",
    "split(concat(x, y))[0] = x": "split-concat-first",
    "split(concat(x, y))[1] = y": "split-concat-second",
    "add(x, y) = split(concat(add(x, y), add(x, y), r1))[0]": "add-in-split-concat",
    "mul(x, y) = split(concat(mul(x, y), mul(x, y), r1))": "mul-in-split-concat",
    "trans(x) = split(concat(trans(x), trans(x), r1))": "transpose-in-split-concat",
    "concat(x, y) = split(concat(concat(x, y), concat(x, y), r1))": "concat-in-split-concat",
    "concat(concat(x, y, a), concat(z, w, a), b) = concat(concat(x, z, b), concat(y, w, b), a)": "concat-interchange",
}
"""The rules of PolyJuice, table 1, by their meaning there, and their names here."""


# --- the content of the files -----------------------------------------------------------------------------------


def test_there_are_at_least_two_hundred_rules() -> None:
    assert len(RULES) >= 200


def test_every_rule_has_a_name_of_its_own_a_ruleset_and_a_comment() -> None:
    assert len(load()) == len(RULES)
    for rule in RULES.values():
        assert rule.ruleset in EXACTNESS
        assert len(rule.comment) >= 5, f"{rule.file}:{rule.line}: {rule.name} lacks its mathematics"


@pytest.mark.parametrize(("meaning", "name"), PAPER.items())
def test_the_paper_s_rule_is_there(meaning: str, name: str) -> None:
    assert name in RULES, meaning


@pytest.mark.parametrize("name", ["add-transposed", "mul-transposed"])
def test_transposition_inside_takes_a_random_permutation_and_its_inverse(name: str) -> None:
    assert f'(random-perm "{name}"' in RULES[name].text
    assert "(inverse-perm p)" in RULES[name].text


def test_concat_interchange_is_guarded() -> None:
    """The original tool's rule lacked the condition that the axes differ, and was false."""
    assert "(!= a b)" in RULES["concat-interchange"].text


def test_a_rule_knows_its_file_and_line() -> None:
    for rule in RULES.values():
        lines = rule.file.read_text(encoding="utf-8").splitlines()
        assert lines[rule.line - 1].startswith(rule.text.splitlines()[0])


# --- mistakes ---------------------------------------------------------------------------------------------------------

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
    file = tmp_path / "mine.egg"
    file.write_text(f"{GOOD}\n\n{text}\n")
    with pytest.raises(RuleError) as caught:
        load([file], defaults=False)
    message = str(caught.value)
    assert message.startswith(f"{file}:3: ")
    assert expected in message
    assert "\n" not in message


def test_a_mistake_on_a_later_line_of_a_rule_is_placed_at_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('; two\n(rewrite (Neg x)\n         (Foo x)\n         :ruleset exact :name "a")\n')
    with pytest.raises(RuleError, match=rf"{re.escape(str(file))}:2: rule 'a': Unbound function Foo"):
        load([file], defaults=False)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"nowhere\.egg: no such rule file or folder"):
        load([tmp_path / "nowhere.egg"])


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "binary.egg").write_bytes(b"\xff\xfe(rewrite")
    with pytest.raises(RuleError, match=r"binary\.egg: cannot be read"):
        load([tmp_path])


def test_a_name_of_the_default_rules_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('(rewrite (Neg (Neg x)) x :ruleset exact :name "neg-neg") ; -(-x) = x\n')
    with pytest.raises(RuleError, match=r"mine\.egg:1: .*arithmetic\.egg:\d+ has a rule 'neg-neg' too: rename one"):
        load([file])
    assert [rule.name for rule in load([file], defaults=False)] == ["neg-neg"]


def test_names_of_the_language_s_own_rules_are_free(tmp_path: Path) -> None:
    """The rules that the operator table generates do not use names that a user's rule may have."""
    file = tmp_path / "mine.egg"
    file.write_text(
        '(birewrite (Relu (Neg (Neg x))) (Relu x) :ruleset exact :name "expand-Relu") ; c\n'
        '(rewrite (Neg (Neg (Neg x))) (Neg x) :ruleset exact :name "expand-twice") ; c\n'
    )
    rules = load([file], defaults=False)
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2, 3)))
    graph = build.build([build.op("Neg", build.op("Neg", build.op("Neg", x)))])
    assert set(Rewriter(rules).rewrite(graph, 0).rules) == {"expand-twice"}


def test_comments_and_strings_may_hold_parentheses_and_quotes(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text(
        '; say "hi :-(\n(rewrite (Neg x) x ; inside :-)\n  :ruleset exact :name "a (b)") ; the ";" at the end\n'
    )
    (rule,) = load([file], defaults=False)
    assert (rule.name, rule.line, rule.comment) == ("a (b)", 2, 'the ";" at the end')


def test_a_comment_may_stand_above_its_rule(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('; not this\n\n; one\n; two\n(rewrite (Neg x) x :ruleset exact :name "a")\n')
    assert load([file], defaults=False)[0].comment == "one two"


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


# --- what they claim --------------------------------------------------------------------------------------------------

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
    """Those of the named rules that fire on a graph."""
    return set(Rewriter(load(only=names), Budget(rules=None)).rewrite(graph, 0).rules)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("name", ["gemm-beta-moved", "gemm-alpha-moved", "gemm-alpha-out"])
def test_a_fractional_factor_is_moved_in_products_of_floats_alone(name: str, dtype: str) -> None:
    """An integer type does not hold the factor."""
    build = GraphBuilder()
    x, y, c = (build.input(TensorType(dtype, (2, 2))) for _ in range(3))
    factors = {"alpha": 0.5, "beta": 0.5, "transA": 0, "transB": 0}
    operands = (x, y) if name == "gemm-alpha-out" else (x, y, c)
    graph = build.build([build.op("Gemm", *operands, **factors)])
    assert fired(graph, name) == ({name} if dtype == "float32" else set())


@pytest.mark.parametrize(("exponent", "rules"), [("3.", {"pow-number"}), ("0.5", set()), ("-0.5", set())])
def test_a_power_that_torch_takes_as_a_root_is_no_power(exponent: str, rules: set[str]) -> None:
    """The root of -inf is NaN, and its power is inf."""
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2,)))
    graph = build.build([build.op("pow.Tensor_Scalar", x, domain="aten", exponent=exponent)])
    assert fired(graph, "pow-number") == rules


def test_a_mean_of_more_elements_than_its_type_counts_is_left_alone() -> None:
    """bfloat16 cannot represent 257: sum / 256 would be another mean."""
    for size, fires in ((256, True), (257, False)):
        build = GraphBuilder()
        x = build.input(TensorType("bfloat16", (size,)))
        graph = build.build([build.op("ReduceMean", x, axes=(0,), keepdims=1)])
        assert fired(graph, "mean-as-sum") == ({"mean-as-sum"} if fires else set())
