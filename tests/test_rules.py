"""The rule files: what they hold, what is said of a mistake in one, and that no rule is false.

Soundness is checked on instances of the rules themselves: a rule's left side is read from its text, its variables
become inputs of random types, and all that saturation with this one rule extracts must equal the graph it began with.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign.case import difference
from polyjuice.egraph import Budget, Rewriter, Rule, RuleError, distinct, load
from polyjuice.egraph.language import EXACTNESS, constructors
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.numerics import analyse
from polyjuice.ops import GraphBuilder
from polyjuice.ops.sampling import permutation, shape_of_size

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
"""The rules of paper 004, table 1, by their meaning there, and their names here."""

PROFILES = ("exact", "normal")


# --- what the files hold ----------------------------------------------------------------------------------------------


def test_there_are_at_least_forty_rules() -> None:
    assert len(RULES) >= 40


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
    """The original tool shipped it without a condition that the axes differ, which is false."""
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
    "a name used twice": ('(rewrite (Abs x) x :ruleset exact :name "good")', "is named as in"),
    "a name that egglog gives": (
        '(birewrite (Neg x) (Abs x) :ruleset exact :name "b") (rewrite (Abs x) x :ruleset exact :name "b=>")',
        "is named as in",
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
    text, said = MISTAKES[mistake]
    file = tmp_path / "mine.egg"
    file.write_text(f"{GOOD}\n\n{text}\n")
    with pytest.raises(RuleError) as caught:
        load([file])
    message = str(caught.value)
    assert message.startswith(f"{file}:3: ")
    assert said in message
    assert "\n" not in message


def test_a_mistake_on_a_later_line_of_a_rule_is_placed_at_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('; two\n(rewrite (Neg x)\n         (Foo x)\n         :ruleset exact :name "a")\n')
    with pytest.raises(RuleError, match=rf"{re.escape(str(file))}:2: rule 'a': Unbound function Foo"):
        load([file])


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
    with pytest.raises(RuleError, match=r"mine\.egg:1: the rule 'neg-neg' is named as in .*arithmetic\.egg:\d+"):
        load([file])
    assert [rule.name for rule in load([file], defaults=False)] == ["neg-neg"]


def test_names_of_the_language_s_own_rules_are_free(tmp_path: Path) -> None:
    """What is generated from the operator table takes no name that a rule may have."""
    file = tmp_path / "mine.egg"
    file.write_text(
        '(birewrite (Relu (Neg (Neg x))) (Relu x) :ruleset exact :name "expand-Relu") ; c\n'
        '(rewrite (Neg (Neg (Neg x))) (Neg x) :ruleset exact :name "expand-twice") ; c\n'
    )
    rules = load([file], defaults=False)
    x, build = inputs_of(TensorType("float32", (2, 3)))
    graph = build.build([build.op("Neg", build.op("Neg", build.op("Neg", x)))])
    assert set(Rewriter(rules, EVERY).rewrite(graph, 0).rules) == {"expand-twice"}


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


# --- instances of a rule ----------------------------------------------------------------------------------------------

EVERY = Budget(rule_share=1.0, iterations=2)

INSTANCES = 3
TRIES = 2_000

Expr = str | list["Expr"]
"""An s-expression."""


def inputs_of(type: TensorType) -> tuple[str, GraphBuilder]:
    builder = GraphBuilder()
    return builder.input(type), builder


def parsed(text: str) -> Expr:
    """The first s-expression of a text."""
    stack: list[list[Expr]] = [[]]
    for token in re.findall(r';[^\n]*|"[^"]*"|[()]|[^\s();"]+', text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token)
    return stack[0][0]


def rendered(expr: Expr) -> str:
    return expr if isinstance(expr, str) else f"({' '.join(map(rendered, expr))})"


def directions(rule: Rule) -> list[Rule]:
    """The rule, or the two rules that a bidirectional one stands for."""
    if not rule.bidirectional:
        return [rule]
    _, left, right, *options = parsed(rule.text)
    found = []
    for sides, name in (([left, right], f"{rule.name}=>"), ([right, left], f"{rule.name}<=")):
        text = rendered(["rewrite", *sides, *options]).replace(f'"{rule.name}"', f'"{name}"')
        found.append(replace(rule, name=name, text=text))
    return found


DIRECTIONS = {direction.name: direction for rule in RULES.values() for direction in directions(rule)}


@dataclass
class Instantiation:
    """One random instance of a rule's left side: its variables by what they stand for."""

    rng: random.Random
    type: TensorType
    builder: GraphBuilder = field(default_factory=GraphBuilder)
    known: dict[str, Any] = field(default_factory=dict)
    made: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def tensor(self, expr: Expr, accepted: Sequence[str] = dtypes.ALL) -> str:
        if isinstance(expr, str):
            if expr not in self.known:
                self.known[expr] = self.builder.input(self.near_type(accepted))
            return str(self.known[expr])
        if expr[0] == "Splat":
            array = np.full(self.type.shape, float(str(expr[1]))).astype(dtypes.to_numpy(self.type.dtype))
            return self.builder.constant(array)
        c = constructors()[str(expr[0])]
        operands = [self.tensor(part, c.op.types[c.op.variable(i)]) for i, part in enumerate(expr[1 : c.operands + 1])]
        values = [
            self.value(part, sort) for part, sort in zip(expr[c.operands + 1 :], c.sorts[c.operands :], strict=True)
        ]
        attrs = dict(zip((a.name for a in c.op.attrs), values, strict=False))
        key = repr((c.op.name, operands, attrs))
        if key not in self.made:
            self.made[key] = self.builder.multi(c.op.name, *operands, **attrs)
        return self.made[key][values[-1] if c.multi_output else 0]

    def near_type(self, accepted: Sequence[str]) -> TensorType:
        """The instance's own type, or now and then one that differs in one dimension."""
        dtype = self.type.dtype if self.type.dtype in accepted else self.rng.choice(accepted)
        shape = list(self.type.shape)
        if shape and self.rng.random() < 0.25:
            shape[self.rng.randrange(len(shape))] = self.rng.choice((1, 2, 3))
        return TensorType(dtype, tuple(shape))

    def value(self, expr: Expr, sort: str) -> Any:
        """An attribute: as the rule gives it, or a guess, the same wherever the variable stands."""
        if isinstance(expr, list):
            assert expr[0] in ("vec-of", "vec-empty")
            return tuple(self.value(part, "i64") for part in expr[1:])
        if re.fullmatch(r"-?\d+", expr):
            return int(expr)
        if expr.startswith('"'):
            return expr.strip('"')
        if expr not in self.known:
            self.known[expr] = self.guess(sort)
        return self.known[expr]

    def guess(self, sort: str) -> Any:
        rng, shape = self.rng, self.type.shape
        axis = rng.randrange(len(shape))
        if sort == "i64":
            return rng.choice((0, axis))
        if sort == "Ints":
            size = shape[axis]
            cut = rng.randint(0, size)
            places = (0,), (size,), (axis,), (size, size), (cut, size - cut), shape
            return rng.choice((*places, permutation(rng, len(shape)), shape_of_size(rng, self.type.size)))
        return rng.choice(dtypes.ALL) if sort == "String" else rng.choice((0.5, 1.0))


def left_side(rule: Rule) -> tuple[Expr, dict[str, Expr]]:
    """The term that a rule matches, and what its conditions say its variables are."""
    head, first, *rest = parsed(rule.text)
    if head == "rewrite":
        conditions = rest[rest.index(":when") + 1] if ":when" in rest else []
        return first, equations(conditions)
    terms = [fact[2] for fact in first if fact[0] == "=" and fact[1] == "e"]
    assert len(terms) == 1, f"{rule.name}: no (= e term)"
    return terms[0], equations(first)


def equations(facts: Sequence[Expr]) -> dict[str, Expr]:
    """Conditions of the form (= variable (vec-of ...))."""
    return {
        fact[1]: fact[2] for fact in facts if fact[0] == "=" and isinstance(fact[2], list) and fact[2][0] == "vec-of"
    }


def substituted(expr: Expr, known: dict[str, Expr]) -> Expr:
    if isinstance(expr, str):
        value = known.get(expr, expr)
        plain = isinstance(value, list) and all(isinstance(part, str) for part in value)
        return value if plain else expr
    return [substituted(part, known) for part in expr]


def instances(rule: Rule, rewriter: Rewriter) -> Iterator[Graph]:
    """Graphs on which the rule fires: random instances of its left side."""
    term, known = left_side(rule)
    term = substituted(term, known)
    for number in range(TRIES):
        rng = random.Random(f"{rule.name} {number}")
        rank = rng.choice((1, 2, 2, 3, 4))
        shape = [rng.choice((2, 3, 4)) for _ in range(rank)]
        if rng.random() < 0.5:
            shape = shape[:1] * rank
        made = Instantiation(rng, TensorType(rng.choice(dtypes.ALL), tuple(shape)))
        try:
            graph = made.builder.build([made.tensor(term)])
        except (ValueError, IndexError):  # ill typed
            continue
        if rewriter.rewrite(graph, number).rules.get(rule.name):
            yield graph


def unsound(rewriter: Rewriter, graph: Graph, seed: int) -> tuple[str, int, int]:
    """How a variant differs from its graph, if one does; how many are new; how many comparisons could tell."""
    try:
        inputs = [make_inputs(graph, profile, seed) for profile in PROFILES]
    except EvaluationError:
        return "", 0, 0
    telling = sum(analysis.comparable for x in inputs for analysis in analyse(graph, x, "float64", True))
    new = 0
    for variant in distinct(rewriter.rewrite(graph, seed, "steps", 3).variants):
        new += digest(variant.graph) != digest(graph)
        problem = difference(graph, variant.graph, inputs)
        if problem:
            return f"{problem}\n--- graph ---\n{graph}\n--- variant ---\n{variant.graph}", new, telling
    return "", new, telling


@pytest.mark.parametrize("name", DIRECTIONS)
def test_a_rule_is_sound_on_its_own_instances(name: str) -> None:
    rewriter = Rewriter([DIRECTIONS[name]], EVERY)
    seen = new = telling = 0
    for seed, graph in enumerate(instances(DIRECTIONS[name], rewriter)):
        problem, more, telling_here = unsound(rewriter, graph, seed)
        assert not problem, problem
        seen, new, telling = seen + 1, new + more, telling + telling_here
        if seen >= INSTANCES and new and telling:
            return
    raise AssertionError(f"only {seen} instances, {new} variants that differ, {telling} comparisons that could tell")


FALSE = {
    "subtraction commutes": "(rewrite (Sub x y) (Sub y x) :ruleset exact)",
    "a transposed product of transposes": (
        "(rewrite (Transpose (MatMul (Transpose x (vec-of 1 0)) (Transpose y (vec-of 1 0))) (vec-of 1 0))"
        " (MatMul x y) :ruleset exact)"
    ),
    "concatenation on one axis interchanges": (
        "(rewrite (Concat2 (Concat2 x y a) (Concat2 z w a) b)"
        " (Concat2 (Concat2 x z b) (Concat2 y w b) a) :ruleset exact)"
    ),
    "the other half of a split": "(rewrite (Split (Concat2 x y a) a s 0) y :ruleset exact)",
    "the mean is the sum": "(rewrite (ReduceMean x a k n) (ReduceSum x a k n) :ruleset real)",
    "exp is nearly 1 + x": (
        "(rule ((= e (Exp x)) (= s (shape x)) (= t (dtype x))) ((union e (Add x (Splat 1.0 s t)))) :ruleset real)"
    ),
    "a sign is lost": "(rewrite (Abs x) x :ruleset real)",
}


@pytest.mark.parametrize("claim", FALSE)
def test_a_false_rule_is_caught(claim: str, tmp_path: Path) -> None:
    file = tmp_path / "false.egg"
    file.write_text(f'{FALSE[claim][:-1]} :name "false") ; {claim}\n')
    (rule,) = load([file], defaults=False)
    rewriter = Rewriter([rule], EVERY)
    for seed, graph in zip(range(40), instances(rule, rewriter), strict=False):
        if "differs at" in unsound(rewriter, graph, seed)[0]:
            return
    raise AssertionError("no instance shows that the rule is false")


def test_a_mean_of_more_elements_than_its_type_counts_is_left_alone() -> None:
    """257 is no bfloat16: sum / 256 would be another mean."""
    for size, fires in ((256, True), (257, False)):
        x, build = inputs_of(TensorType("bfloat16", (size,)))
        graph = build.build([build.op("ReduceMean", x, axes=(0,), keepdims=1)])
        rewriter = Rewriter(load(only=["mean-as-sum"]), EVERY)
        assert ("mean-as-sum" in rewriter.rewrite(graph, 0).rules) == fires
        assert unsound(rewriter, graph, 0)[0] == ""


def extreme_inputs(graph: Graph, seed: int) -> list[np.ndarray]:
    """Normal floats; integers over the whole range of their type, its ends among them."""
    values = np.random.default_rng(seed)
    arrays = []
    for t in graph.input_types:
        if dtypes.is_float(t.dtype):
            array = values.normal(0, 2, t.shape)
        elif t.dtype == "bool":
            array = values.integers(0, 2, t.shape)
        else:
            low, high = dtypes.exact_integers(t.dtype)
            array = values.integers(low, high, t.shape, "uint64" if low == 0 else "int64", endpoint=True)
            array = np.where(values.random(t.shape) < 0.3, values.choice([low, high], t.shape), array)
        arrays.append(np.asarray(array).astype(dtypes.to_numpy(t.dtype)))
    return arrays


EXACT_SETS = {"exact": dtypes.ALL, "modular": (*dtypes.INTS, "bool")}
"""The types in which the rules of a ruleset hold bit for bit, on overflow too."""


@pytest.mark.parametrize("name", [d.name for d in DIRECTIONS.values() if d.ruleset in EXACT_SETS])
def test_a_rule_is_as_exact_as_its_ruleset_says(name: str) -> None:
    rule = DIRECTIONS[name]
    rewriter = Rewriter([rule], EVERY)
    seen = 0
    for seed, graph in enumerate(instances(rule, rewriter)):
        if seen >= INSTANCES:
            break
        if not {t.dtype for t in graph.types.values()} <= set(EXACT_SETS[rule.ruleset]):
            continue
        inputs = extreme_inputs(graph, seed)
        try:
            wanted = evaluate(graph, inputs)
        except EvaluationError:
            continue
        seen += 1
        for variant in distinct(rewriter.rewrite(graph, seed, "steps", 3).variants):
            for a, b in zip(evaluate(variant.graph, inputs), wanted, strict=True):
                np.testing.assert_array_equal(a, b, f"{variant.graph}")
    assert seen, "no instance"
