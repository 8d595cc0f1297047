"""Targets: their files, the graphs drawn from them, near misses, patterns in the e-graph, and whose turn it is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.parts import of_campaigns
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Rounds
from polyjuice.campaign.store import Store
from polyjuice.egraph import Budget, Rewriter, RuleError, load
from polyjuice.egraph.patterns import Pattern
from polyjuice.generate import Turn
from polyjuice.generate.targeted import Aims
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, digest
from polyjuice.ops import TABLE, check
from polyjuice.targets import Target, of_compiler, of_every_compiler
from polyjuice.targets import load as load_targets
from polyjuice.targets.blocks import block
from polyjuice.targets.near import KINDS, near_miss
from polyjuice.targets.patterns import patterns
from tests.support.graphs import graph

RULES = Path(__file__).parents[2] / "rules"
FILES = sorted((RULES / "targets").glob("*.egg"))

GELU = "(Mul (Mul x (Add (Erf (Div x 1.4142135)) 1)) 0.5)"
LAYER_NORM = "(Add (Mul (Div d (Sqrt (Add (ReduceMean (Pow d 2) (vec-of -1) 1) 0.00001))) S) B)"


def targets(tmp_path: Path, *lines: str) -> tuple[Target, ...]:
    file = tmp_path / "own.egg"
    file.write_text("\n".join(lines))
    return load_targets(file).targets


def target(tmp_path: Path, line: str) -> Target:
    (found,) = targets(tmp_path, line)
    return found


def operators(found: Graph) -> list[str]:
    return [node.op for node in found.nodes]


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_line_names_a_part_a_pattern_and_the_guards(tmp_path: Path) -> None:
    found = target(tmp_path, f'(target "GeluFusion" {GELU} :when ((Float x))) ; the constants are scalars')
    assert found.part == "GeluFusion"
    assert found.comment == "the constants are scalars"
    assert found.facts == (["Float", "x"],)


def test_alternatives_are_targets_of_their_own(tmp_path: Path) -> None:
    found = targets(tmp_path, '(target "Fusion" (Relu|Sigmoid (Add|Sub x y)))')
    assert [one.results[0][0] for one in found] == ["Relu", "Relu", "Sigmoid", "Sigmoid"]
    assert len({one.name for one in found}) == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('(target "P" (Rellu x))', "there is no operator Rellu; did you mean"),
        ('(target "P" (Concat x y))', "did you mean Concat2 or Concat3 or Concat4?"),
        ('(target "P" (Relu x 1))', "Relu takes 1 operands and up to 0 attributes"),
        ('(target "P")', "a target needs a pattern"),
        ('(target "P" (Gather x i 0) :when ((elements i 0 1)))', "elements takes the name of a constant, and integers"),
        ('(target "P" (Gather x I 0) :when ((elements I 0.5)))', "elements takes the name of a constant, and integers"),
        ("(rewrite (Relu x) x)", "a target file holds only"),
        ('(target "P" (Relu x)', "a '(' is not closed"),
    ],
)
def test_a_mistake_is_told_with_its_line(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"own\.egg:1: ") as error:
        targets(tmp_path, line)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("file", [*FILES, RULES / "blocks" / "common.egg"], ids=lambda file: file.stem)
def test_every_target_of_a_file_can_be_drawn(file: Path) -> None:
    found = load_targets(file)
    for one in found.targets:
        assert check(block(one, random.Random(one.name))).nodes, one
    assert not {one.part for one in found.targets} & found.unreachable.keys()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_file_is_of_a_compiler(file: Path) -> None:
    assert file.stem in {compilers.find(name).target_file for name in compilers.names()}


# --- blocks ----------------------------------------------------------------------------------------------------------


def drawn(found: Target, count: int) -> Iterator[Graph]:
    return (block(found, random.Random(i)) for i in range(count))


def test_a_block_has_the_operators_of_its_pattern(tmp_path: Path) -> None:
    for one in drawn(target(tmp_path, f'(target "G" {GELU})'), 20):
        assert operators(one) == ["Div", "Erf", "Add", "Mul", "Mul"]
        assert len(one.inputs) == 1


def test_a_name_for_a_term_is_one_node(tmp_path: Path) -> None:
    line = f'(target "L" {LAYER_NORM} :when ((= d (Sub x (ReduceMean x (vec-of -1) 1)))))'
    assert [operators(one).count("Sub") for one in drawn(target(tmp_path, line), 10)] == [1] * 10


def test_an_upper_case_name_is_a_constant(tmp_path: Path) -> None:
    for one in drawn(target(tmp_path, '(target "M" (Add (MatMul x W) B))'), 20):
        assert len(one.inputs) == 1
        assert len(one.constants) == 2


def test_a_condition_gives_the_elements_of_a_constant(tmp_path: Path) -> None:
    line = '(target "G" (Gather x I 0) :when ((elements I 2 -1 0) (= (shape x) (vec-of 3 2))))'
    found = target(tmp_path, line)
    for one in drawn(found, 10):
        (indices,) = one.constants.values()
        assert indices.tolist() == [2, -1, 0]
    orders = {
        tuple(constant.tolist())
        for seed in range(200)
        for missed in [near_miss(next(drawn(found, 1)), random.Random(seed), 1)]
        if missed[1] == ("constant's value",)
        for constant in missed[0].constants.values()
        if constant.size == 3
    }
    assert {(0, 2, -1), (-1, 0, 2)} & orders
    (pattern,) = patterns([found])
    assert "elements" not in str(pattern)


def test_constants_of_one_value_have_all_shapes_that_broadcast(tmp_path: Path) -> None:
    found = target(tmp_path, '(target "M" (Mul x 0.5) :when ((= 3 (vec-length (shape x)))))')
    shapes = [next(iter(one.constants.values())).shape for one in drawn(found, 300)]
    assert {(), (1,), (1, 1, 1)} <= {*shapes}
    assert any(max(shape, default=0) > 1 for shape in shapes)


def test_equal_terms_of_two_results_are_separate_nodes(tmp_path: Path) -> None:
    one = block(target(tmp_path, '(target "CSE" (Add x y) (Add x y))'), random.Random(0))
    assert operators(one) == ["Add", "Add"]
    assert one.nodes[0].inputs == one.nodes[1].inputs


def test_scales_are_positive_constants(tmp_path: Path) -> None:
    for one in drawn(target(tmp_path, '(target "Q" (QuantizeLinear (Relu x) S Z))'), 30):
        (node,) = (node for node in one.nodes if node.op == "QuantizeLinear")
        assert (one.constants[node.inputs[1]] > 0).all()


# --- near misses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_change_gives_another_valid_graph(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("polyjuice.targets.near.KINDS", {kind: KINDS[kind]})
    found = target(tmp_path, '(target "M" (Softmax (Div (MatMul x W) 2.0)))')
    before = list(drawn(found, 20))
    changed = [near_miss(one, random.Random(i), 1) for i, one in enumerate(before)]
    assert any(kinds for _, kinds in changed)
    for one, (after, kinds) in zip(before, changed, strict=True):
        check(after)
        assert (digest(after) != digest(one)) == bool(kinds)


def test_restricted_operands_stay_constants_in_their_range(tmp_path: Path) -> None:
    found = target(tmp_path, '(target "Q" (DequantizeLinear3 (Gather (QuantizeLinear x S Z) I 0) S Z))')
    for i, one in enumerate(drawn(found, 60)):
        after, _ = near_miss(one, random.Random(i), 3)
        for node in after.nodes:
            if node.op in ("QuantizeLinear", "DequantizeLinear"):
                assert (after.constants[node.inputs[1]] > 0).all()
            if node.op == "Gather":
                size = after.types[node.inputs[0]].shape[node.attrs["axis"]]
                assert (np.abs(after.constants[node.inputs[1]]) <= size).all()


def test_bounds_stay_within_int64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyjuice.targets.near.KINDS", {"attribute": KINDS["attribute"]})
    found = target(tmp_path, f'(target "S" (Neg (Slice x (vec-of 1) (vec-of {2**63 - 1}) (vec-of 0) (vec-of 1))))')
    ends = [
        node.attrs["ends"]
        for i, one in enumerate(drawn(found, 40))
        for node in near_miss(one, random.Random(i), 3)[0].nodes
        if node.op == "Slice"
    ]
    assert any(one != (2**63 - 1,) for one in ends)
    assert all(one < 2**63 for (one,) in ends)


# --- the e-graph -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def every_pattern() -> list[Pattern]:
    return patterns(of_every_compiler())


def test_egglog_reads_every_pattern(every_pattern: list[Pattern]) -> None:
    assert len(every_pattern) > 500
    rewriter = Rewriter(load(only=["relu-relu"]), patterns=every_pattern)
    rewriter.rewrite(graph("float32[2,3] x", "Relu(x)"), 0, "targets")


def test_nearly_every_pattern_matches_what_is_drawn_from_its_target() -> None:
    """Not all draws: a matrix product of vectors has no constructor of its own."""
    own = of_compiler("onnxruntime").targets
    every = patterns(own)
    names = {pattern.name for pattern in every}
    rewriter = Rewriter((), Budget(rules=None), patterns=every)
    found: set[str] = set()
    for start in range(0, len(own), 40):
        graphs = [next(iter(drawn(one, 1))) for one in own[start : start + 40]]
        found |= {pattern.name for pattern, *_ in rewriter.saturate(graphs, start, [{}] * len(graphs)).view.matches}
    assert len(found) > 0.95 * len(names)


def test_operands_of_a_pattern_broadcast_to_the_shape_that_they_had(tmp_path: Path) -> None:
    found = patterns(targets(tmp_path, '(target "Sum" (ReduceSum (Add x Y) (vec-of 0) 0))'))
    y = np.array([1, 5, 9], np.float32)
    seed = graph(
        "float32[3] x", "ReduceSum(Add(Expand(x, shape=(2, 3)), Expand(y, shape=(2, 3))), axes=(0,), keepdims=0)", y=y
    )
    variants = [one for i in range(8) for one in Rewriter((), patterns=found).rewrite(seed, i, "targets").variants]
    values = np.array([0.5, -2, 4], np.float32)
    assert any(one.part for one in variants)
    for one in variants:
        assert np.array_equal(evaluate(one.graph, [values])[0], 2 * (values + y))


def test_a_constant_that_broadcasts_has_no_higher_rank_than_the_result(tmp_path: Path) -> None:
    found = patterns(targets(tmp_path, '(target "Sum" (Add x C) :when ((= (shape C) (vec-of 1))))'))
    seeds = {keep: graph("float32[3] x", f"Add(ReduceSum(x, axes=(0,), keepdims={keep}), 1)") for keep in (0, 1)}
    matched = {keep: Rewriter((), patterns=found).saturate([one], 0).view.matches for keep, one in seeds.items()}
    assert not matched[0]
    assert matched[1]


def test_a_variant_has_the_pattern_and_equals_its_seed(tmp_path: Path) -> None:
    found = patterns(targets(tmp_path, '(target "Gelu" (Mul (Mul x (Add (Erf (Div x (Sqrt 2))) 1)) 0.5))'))
    seed = graph("float32[2,3] x", "Abs(Gelu(x))")
    rewriter = Rewriter(load(only=["gelu-by-erf-of-quotient"]), patterns=found)
    variants = [one for i in range(8) for one in rewriter.rewrite(seed, i, "targets").variants if one.part]
    assert variants
    values = np.linspace(-3, 3, 6).reshape(2, 3)
    for one in variants:
        assert one.part == "Gelu"
        assert operators(one.graph) == ["Sqrt", "Div", "Erf", "Add", "Mul", "Mul", "Abs"]
        (result,), (expected,) = evaluate(one.graph, [values], "float64"), evaluate(seed, [values], "float64")
        assert np.allclose(result, expected, rtol=1e-12)


def test_there_are_as_many_variants_as_asked_for(tmp_path: Path) -> None:
    found = patterns(targets(tmp_path, '(target "Twice" (Neg (Neg x)))'))
    rewriter = Rewriter(load(only=["neg-*"]), patterns=found)
    seed = graph("float32[2,3] x", "Abs(Neg(Neg(x)))")
    assert {len(rewriter.rewrite(seed, i, "targets", 4).variants) for i in range(6)} == {4}


def test_a_pattern_counts_axes_from_the_back(tmp_path: Path) -> None:
    found = patterns(targets(tmp_path, '(target "Mean" (Sub x (ReduceMean x (vec-of -1) 1)))'))
    seeds = {axis: graph("float32[2,3] x", f"Sub(x, ReduceMean(x, axes=({axis},), keepdims=1))") for axis in (0, 1)}
    matched = {axis: Rewriter((), patterns=found).saturate([one], 0).view.matches for axis, one in seeds.items()}
    assert not matched[0]
    assert matched[1]


def test_a_pattern_binds_the_elements_of_vectors(tmp_path: Path) -> None:
    cut = "(Slice x (vec-of 0) (vec-of n) (vec-of 0) (vec-of 1))"
    found = patterns(
        targets(
            tmp_path,
            f'(target "Cut" (Exp {cut}) :when ((= n (vec-get (shape x) 0))))',
            '(target "Sum" (ReduceSum (Concat2 x y a) (vec-of a) _1 0))',
        )
    )
    sliced = "Exp(Slice({0}, starts=(0,), ends=({1},), axes=(0,), steps=(1,)))"
    added = "ReduceSum(Concat({0}, {0}, axis={1}), axes=({2},), keepdims=0)"
    outputs = [sliced.format(name, end) for name in "xy" for end in (3, 4)]
    outputs += [added.format(name, axis, over) for name in "xy" for axis in (0, 1) for over in (0, 1)]
    seed = graph("float32[4,3] x y", ", ".join(outputs))
    matches = Rewriter((), patterns=found).saturate([seed], 0).view.matches
    assert Counter(pattern.part for pattern, *_ in matches) == {"Cut": 2, "Sum": 4}


def test_a_match_holds_the_whole_term() -> None:
    """egglog matches a Gelu times -1 as a Gelu, too."""
    gelu = next(one for one in patterns(of_compiler("onnxruntime").targets) if one.part == "GeluFusionL1")
    rules = [rule for rule in load() if rule.name.startswith(("mul-", "neg-", "add-"))]
    seed = graph("float32[2,3] x y", "Mul(Mul(Add(x, y), 0.5), Neg(Add(Erf(Div(Add(x, y), 1.4142135)), 1.0)))")
    rewriter = Rewriter(rules, patterns=[gelu])
    for saturated in (rewriter.saturate([seed], key) for key in range(10)):
        assert saturated.roots(0)[0] not in [eclass for _, eclass, _ in saturated.view.matches]


# --- turns -----------------------------------------------------------------------------------------------------------


def test_every_target_has_its_turn_in_a_cycle() -> None:
    own = of_compiler("onnxruntime").targets
    parts = {aimed.part for i in range(len(own)) if (aimed := Aims(own).program(Turn(0, i), f"key {i}"))}
    assert {one.part for one in own} == parts


def test_what_acted_least_is_due_more_often(tmp_path: Path) -> None:
    own = targets(tmp_path, '(target "Seldom" (Relu x))', '(target "Often" (Abs x))')
    acted = {"Often": 100}
    found = [Aims(own).program(Turn(0, i), f"{i}", acted=acted) for i in range(200)]
    parts = [aimed.part for aimed in found if aimed]
    assert parts.count("Seldom") > 1.5 * parts.count("Often")


def test_a_program_depends_on_its_key_alone() -> None:
    aims = Aims(of_compiler("onnxruntime").targets, of_every_compiler())
    first, again = (aims.program(Turn(7, 5), "7/5/0") for _ in range(2))
    assert first
    assert again
    assert digest(first.graph) == digest(again.graph)


def test_no_program_has_an_operator_that_the_compiler_refuses() -> None:
    aims = Aims(of_compiler("onnxruntime").targets)
    refused = {"MatMul", "Conv", "Transpose"}
    for i in range(40):
        aimed = aims.program(Turn(0, i), f"{i}", lambda op, operands, results: op.name not in refused)
        assert aimed
        assert not refused & {*operators(aimed.graph)}


def test_only_operators_that_the_user_names_occur() -> None:
    aims = Aims(of_compiler("onnxruntime").targets)
    named = [TABLE["", name] for name in ("Relu", "Clip", "Identity", "Neg", "Abs")]
    found = [aimed for i in range(10) if (aimed := aims.program(Turn(0, i), f"{i}", None, named))]
    assert all({*operators(aimed.graph)} <= {op.name for op in named} for aimed in found)


def test_a_round_waits_for_the_first_quarter_of_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyjuice.campaign.schedule._ROUND", 2)
    rounds = Rounds([(0, ["P"])])
    assert rounds.before(0) == rounds.before(7) == {}, "four rounds begin at once"
    assert rounds.before(8) is None
    rounds.add(1, ["P", "Q"])
    assert rounds.before(8) == rounds.before(15) == {"P": 2, "Q": 1}
    assert rounds.before(16) is None, "the ninth needs the first two"


# --- coverage --------------------------------------------------------------------------------------------------------


def test_each_part_has_its_counts(tmp_path: Path) -> None:
    (tmp_path / "own.egg").write_text('(target "P" (Relu x))\n(target "Q" (Abs x))\n(unreachable "R" "on the GPU")')
    config = Config(compiler="eager", targets=(str(tmp_path / "own.egg"),))
    store = Store.create(tmp_path / "campaign", config)
    for index, (part, changes, acted) in enumerate(
        [("P", (), ["P", "Q"]), ("P", ("size",), ["P"]), ("P", ("size",), []), ("Q", (), None), ("", (), ["elsewhere"])]
    ):
        store.add(CaseResult(index=index, programs=1, part=part, changes=changes, acted=acted), 1.0)
    (found,) = of_campaigns([(store, config)])
    store.close()
    assert (found.tested, found.traced) == (5, 4)
    assert {one.part: (one.reachable, *one.counts) for one in found.parts} == {
        "P": (True, 1, 2, 2, 1, 0),
        "Q": (True, 1, 1, 0, 0, 0),
        "R": (False, 0, 0, 0, 0, 0),
    }
    assert "2 of 2 parts that can be reached acted in 4 of 5 cases" in found.line()
