"""Rewriting of whole graphs is deterministic and bounded. It keeps the graph's meaning, signature and constants."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.egraph import Budget, Rewriter, Rewriting, distinct, fold_broadcasts, load, operator_count
from polyjuice.equivalence import difference
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, Node, TensorType, digest, prune
from polyjuice.ops import GraphBuilder, check, infer_node
from tests.support.shares import in_the_long_run

RULES = load()
ALL_RULES = Budget(rules=None)


@pytest.fixture(scope="module")
def rewriter() -> Rewriter:
    """The default rules, all of them enabled."""
    return Rewriter(RULES, ALL_RULES)


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


def digests(rewriting: Rewriting) -> list[str]:
    return [digest(variant.graph) for variant in rewriting.variants]


def assert_sound(rewriting: Rewriting) -> None:
    """Every variant is well typed, has the seed graph's signature, and is equal to it."""
    seed = rewriting.seed
    assert rewriting.variants
    inputs = [make_inputs(seed, profile, 0) for profile in ("exact", "normal")]
    for variant in rewriting.variants:
        check(variant.graph)
        assert variant.graph.inputs == seed.inputs
        assert variant.graph.input_types == seed.input_types
        assert variant.graph.output_types == seed.output_types
        assert difference(seed, variant.graph, inputs) == "", f"{seed}\n---\n{variant.graph}"


# --- determinism ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_rewriters() -> tuple[Rewriter, Rewriter]:
    """Two rewriters. One has already rewritten other graphs."""
    used, fresh = Rewriter(RULES), Rewriter(RULES)
    for i in range(4):
        used.rewrite(generate(8, f"before {i}"), i, "steps", 3)
    return used, fresh


@pytest.mark.parametrize("strategy", ["minmax", "steps", "random"])
def test_equal_seeds_give_equal_variants(strategy: str, two_rewriters: tuple[Rewriter, Rewriter]) -> None:
    """Earlier graphs of the rewriter do not matter."""
    used, fresh = two_rewriters
    for i in range(2):
        graph = generate(10, f"same {i}")
        a, b = used.rewrite(graph, i, strategy, 3), fresh.rewrite(graph, i, strategy, 3)
        assert digests(a) == digests(b)
        assert (a.rules, a.enodes, a.eclasses, a.iterations, a.stopped_by) == (
            b.rules,
            b.enodes,
            b.eclasses,
            b.iterations,
            b.stopped_by,
        )


def test_different_seeds_give_different_variants(rewriter: Rewriter) -> None:
    graph = generate(10, "differ")
    assert len({tuple(digests(rewriter.rewrite(graph, seed))) for seed in range(6)}) > 1


PROGRAM = """
from polyjuice.egraph import Rewriter, load
from polyjuice.generate import generate
from polyjuice.ir import digest
def variants():
    rewriter = Rewriter(load(only=["add-*", "mul-*", "neg-*", "transpose-*", "*-commutative"]))
    return [digest(v.graph) for i in range(6) for v in rewriter.rewrite(generate(10, i), i, "steps", 4).variants]
"""


def test_the_hash_seed_of_the_process_does_not_matter() -> None:
    names: dict[str, Any] = {}
    exec(PROGRAM, names)
    other = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    done = subprocess.run(
        [sys.executable, "-c", f"{PROGRAM}\nprint(*variants())"],
        env={**os.environ, "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == names["variants"]()
    assert len(done.stdout.split()) == 24


# --- generated graphs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [0, *in_the_long_run(*range(1, 8))])
def test_generated_graphs_stay_between_the_ends_and_equal(part: int) -> None:
    """200 graphs: min <= seed <= max operators, in rising steps, all equal, within the limit on operators."""
    rewriter = Rewriter(RULES, Budget(rules=200))
    changed = 0
    for i in range(part * 25, part * 25 + 25):
        rewriting = rewriter.rewrite(generate(2 + i % 12, f"ends {i}"), i, "steps", 4)
        counts = [variant.operators for variant in rewriting.variants]
        original = operator_count(rewriting.seed)
        assert counts == sorted(counts)
        assert counts[0] <= original <= counts[-1] <= Budget().operators(original)
        assert [variant.label for variant in rewriting.variants] == ["min", "step-1", "step-2", "max"]
        changed += len(distinct(rewriting.variants)) > 1
        try:
            assert_sound(rewriting)
        except EvaluationError:
            continue
    assert changed > 12


def test_min_and_max_are_the_ends_of_what_a_worked_example_allows() -> None:
    """x + T(y) + T(z) of the paper's figure 6 needs only two additions and one transposition."""
    build = GraphBuilder()
    x, y, z = build.input(float32(3, 4)), build.input(float32(4, 3)), build.input(float32(4, 3))
    transposed = build.op("Transpose", y, perm=(1, 0))
    total = build.op("Add", build.op("Add", x, transposed), build.op("Transpose", z, perm=(1, 0)))
    names = ["add-associative", "transpose-add", "transpose-transpose"]
    rewriting = Rewriter(load(only=names), ALL_RULES).rewrite(build.build([total]), 0)
    low, high = rewriting.variants
    assert sorted(node.op for node in low.graph.nodes) == ["Add", "Add", "Transpose"]
    assert high.operators >= operator_count(rewriting.seed) == 4
    assert_sound(rewriting)


def test_random_strategy_gives_as_many_graphs_as_asked_for(rewriter: Rewriter) -> None:
    rewriting = rewriter.rewrite(generate(10, "random"), 1, "random", 5)
    assert [variant.label for variant in rewriting.variants] == [f"random-{i}" for i in range(1, 6)]
    assert len(set(digests(rewriting))) > 1
    assert_sound(rewriting)


# --- signatures -------------------------------------------------------------------------------------------------------


def test_an_input_that_is_an_output(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "x")
    graph = build.build([x, build.op("Neg", build.op("Neg", x)), x])
    rewriting = rewriter.rewrite(graph, 0)
    assert rewriting.variants[0].graph.outputs == ("x", "x", "x")
    assert_sound(rewriting)


def test_one_value_that_is_output_twice(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    y = build.op("Relu", build.input(float32(2, 3)), outputs=("y",))
    rewriting = rewriter.rewrite(build.build([y, y]), 0)
    assert len(rewriting.variants[0].graph.nodes) == 1
    assert_sound(rewriting)


def test_a_constant_that_is_an_output(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3))
    ones = build.constant(np.ones((2, 3), np.float32))
    steps = build.constant(np.arange(3, dtype=np.int64))
    rewriting = rewriter.rewrite(build.build([ones, steps, build.op("Mul", x, ones)]), 0)
    for variant in rewriting.variants:
        results = evaluate(variant.graph, [np.zeros((2, 3), np.float32)])
        np.testing.assert_array_equal(results[0], np.ones((2, 3)))
        np.testing.assert_array_equal(results[1], [0, 1, 2])
    assert_sound(rewriting)


def test_outputs_keep_their_names(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "a.b")
    graph = build.build([build.op("Relu", build.op("Neg", x, outputs=("inner",)), outputs=("the result",))])
    for variant in rewriter.rewrite(graph, 0, "steps", 4).variants:
        assert variant.graph.outputs == ("the result",)
        assert variant.graph.inputs == ("a.b",)


def test_unused_inputs_stay_and_unused_nodes_go(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    x, unused = build.input(float32(2)), build.input(TensorType("int8", (3,)))
    build.op("Abs", unused)
    rewriting = rewriter.rewrite(build.build([build.op("Relu", x)]), 0)
    assert {len(variant.graph.inputs) for variant in rewriting.variants} == {2}
    assert all(node.op != "Abs" or unused not in node.inputs for v in rewriting.variants for node in v.graph.nodes)
    assert_sound(rewriting)


def test_names_that_look_like_ours_do_not_clash(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    names = ["v2", "c1", "v1", "v3"]
    x = build.input(float32(2, 2), names[0])
    c = build.constant(np.eye(2, dtype=np.float32), names[1])
    y = build.op("Add", x, c, outputs=(names[2],))
    rewriting = rewriter.rewrite(build.build([build.op("Mul", y, c, outputs=(names[3],))]), 0, "steps", 4)
    assert {variant.graph.outputs for variant in rewriting.variants} == {("v3",)}
    assert_sound(rewriting)


# --- opaque nodes -----------------------------------------------------------------------------------------------------


def opaque_graph(identities: Sequence[str]) -> Graph:
    """Two applications of an opaque operator with two outputs. One output is unused."""
    build = GraphBuilder({"mine": 1})
    x = build.input(float32(2, 3), "x")
    for i, identity in enumerate(identities):
        node = Node("Twist", (x, ""), (f"a{i}", f"b{i}"), {"k": 1}, "mine", opaque=True, identity=identity)
        build.append(node, [float32(2, 3), float32(2, 3)])
    total = build.op("Add", build.op("Add", "a0", "b0"), "a1")
    return build.build([build.op("Relu", total)])


def twists(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op == "Twist"]


def test_opaque_nodes_with_other_numbers_of_operands_are_not_equal(rewriter: Rewriter) -> None:
    """Sum has constructors neither for one operand nor for five."""
    build = GraphBuilder()
    names = [build.input(float32(2)) for _ in range(5)]
    graph = build.build([build.op("Sum", names[0]), build.op("Sum", *names)])
    assert_sound(rewriter.rewrite(graph, 0))


def test_an_egraph_that_was_used_is_as_good_as_new() -> None:
    """Each graph leaves the e-graph again. Later graphs give the same results, in the same order."""
    rewriter = Rewriter(RULES)
    graphs = [generate(12, f"used {i}") for i in range(6)]
    first = [digests(rewriter.rewrite(graph, i)) for i, graph in enumerate(graphs[:2])]
    for i, graph in enumerate(graphs[2:]):
        rewriter.rewrite(graph, i)
    assert [digests(rewriter.rewrite(graph, i)) for i, graph in enumerate(graphs[:2])] == first


def test_equal_opaque_nodes_are_one_in_the_egraph(rewriter: Rewriter) -> None:
    low, high = rewriter.rewrite(opaque_graph(["", ""]), 0).variants
    assert len(twists(low.graph)) == len(twists(high.graph)) == 1


def test_opaque_nodes_with_an_identity_are_never_merged(rewriter: Rewriter) -> None:
    rewriting = rewriter.rewrite(opaque_graph(["first", "second"]), 0, "steps", 4)
    for variant in rewriting.variants:
        nodes = twists(variant.graph)
        assert sorted(node.identity for node in nodes) == ["first", "second"]
        for node in nodes:
            assert (node.domain, dict(node.attrs), node.inputs) == ("mine", {"k": 1}, ("x", ""))
            assert len(node.outputs) == 2
        assert variant.graph.opsets == {"mine": 1}
    assert_sound(rewriting)


def test_an_unread_output_of_an_opaque_node_stays_unread(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3))
    node = Node("Twist", (x,), ("", "b"), {}, "mine", opaque=True)
    build.append(node, [float32(), float32(2, 3)])
    for variant in rewriter.rewrite(build.build([build.op("Neg", "b")]), 0).variants:
        (twist,) = twists(variant.graph)
        assert twist.outputs[0] == ""
        assert twist.outputs[1]


def test_table_operators_beyond_the_language_are_kept(rewriter: Rewriter) -> None:
    """Concat of five operands and a product with a vector have no constructor."""
    build = GraphBuilder()
    x, v = build.input(float32(2, 3)), build.input(float32(3))
    joined = build.op("Concat", x, x, x, x, x, axis=0)
    graph = build.build([build.op("MatMul", build.op("Relu", joined), v)])
    rewriting = rewriter.rewrite(graph, 0, "steps", 3)
    for variant in rewriting.variants:
        assert {"Concat", "MatMul"} <= {node.op for node in variant.graph.nodes}
        assert not any(node.opaque for node in variant.graph.nodes)
    assert_sound(rewriting)


# --- constants --------------------------------------------------------------------------------------------------------

CONSTANTS = {
    "a scalar": np.array(2.5, np.float32),
    "a uniform tensor": np.full((2, 3), 0.1, np.float32),
    "negative zero": np.full((2, 3), -0.0, np.float32),
    "zeros of which the first is negative": np.array([-0.0, 0.0], np.float32),
    "infinity": np.full(3, np.inf, np.float32),
    "NaN": np.full(3, np.nan, np.float32),
    "an integer that no float64 holds": np.full((2,), 2**53 + 1, np.int64),
    "the greatest integer": np.array(2**63 - 1, np.int64),
    "the least integer": np.array(-(2**63), np.int64),
    "bfloat16": np.array([1.5, -3.0]).astype("float32").astype(np.dtype("bfloat16")),
    "uniform float16": np.full((2, 2), 65504, np.float16),
    "a subnormal": np.full((2,), 1e-45, np.float32),
    "booleans": np.array([True, False]),
    "a uniform boolean": np.ones((2, 1), bool),
    "nothing": np.zeros((0, 3), np.float32),
    "uint8": np.full((3,), 255, np.uint8),
    "zeros of which the first is positive": np.array([0.0, -0.0], np.float32),
}


@pytest.mark.parametrize("kind", CONSTANTS)
def test_a_constant_survives_to_the_last_bit(kind: str) -> None:
    rewriter = Rewriter(load(only=["neg-neg"]))  # x + 0 would change the constant
    array = CONSTANTS[kind]
    build = GraphBuilder()
    build.input(float32(1))
    graph = build.build([build.op("Identity", build.constant(array))])
    for variant in rewriter.rewrite(graph, 0).variants:
        (result,) = evaluate(variant.graph, [np.zeros(1, np.float32)])
        assert result.dtype == array.dtype
        assert result.shape == array.shape
        assert result.tobytes() == array.tobytes()


def test_constants_that_differ_in_type_or_shape_alone_are_told_apart(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    build.input(float32(1))
    arrays = [np.zeros(s, t) for s in ((2,), (2, 1)) for t in ("int32", "float32")]
    graph = build.build([build.op("Identity", build.constant(array)) for array in arrays])
    for variant in rewriter.rewrite(graph, 0).variants:
        results = evaluate(variant.graph, [np.zeros(1, np.float32)])
        assert [(r.dtype, r.shape) for r in results] == [(a.dtype, a.shape) for a in arrays]


# --- unusual shapes ---------------------------------------------------------------------------------------------------


def chain(type: TensorType, *steps: tuple[str, dict[str, object]]) -> Graph:
    build = GraphBuilder()
    value = build.input(type)
    for op, attrs in steps:
        value = build.op(op, value, **attrs)
    return build.build([value])


UNUSUAL = {
    "reshape of nothing": chain(
        float32(3, 0), ("Reshape", {"shape": (0, 5), "allowzero": 1}), ("Relu", {}), ("Neg", {}), ("Neg", {})
    ),
    "reshape of nothing twice": chain(
        float32(3, 0), ("Reshape", {"shape": (7, 0), "allowzero": 1}), ("Reshape", {"shape": (0, 2), "allowzero": 1})
    ),
    "reshape with places to fill in": chain(float32(2, 3, 4), ("Reshape", {"shape": (0, -1)}), ("Relu", {})),
    "reshape with the rest of nothing": chain(float32(0, 4), ("Reshape", {"shape": (-1, 2)}), ("Neg", {})),
    "transposition of nothing": chain(
        float32(0, 3), ("Transpose", {"perm": (1, 0)}), ("Relu", {}), ("Transpose", {"perm": (1, 0)})
    ),
    "the sum of nothing": chain(float32(0, 3), ("Neg", {}), ("ReduceSum", {"axes": (0,), "keepdims": 0})),
    "expansion to nothing": chain(float32(1, 3), ("Expand", {"shape": (0, 3)}), ("Relu", {}), ("Neg", {})),
    "a scalar": chain(float32(), ("Neg", {}), ("Tanh", {}), ("Neg", {}), ("Relu", {})),
    "a sum to a scalar": chain(float32(5), ("Neg", {}), ("ReduceSum", {"axes": (0,), "keepdims": 0}), ("Relu", {})),
    "axes from the end": chain(
        float32(2, 3), ("Relu", {}), ("ReduceMax", {"axes": (-1,), "keepdims": 1}), ("Softmax", {"axis": -1})
    ),
    "a slice to both ends of the world": chain(
        float32(2, 3),
        ("Slice", {"starts": (-(2**63),), "ends": (2**63 - 1,), "axes": (1,), "steps": (1,)}),
        ("Relu", {}),
    ),
    "all axes at once": chain(float32(2, 3), ("Neg", {}), ("ReduceSum", {"axes": (), "keepdims": 0})),
    "no axes at all": chain(
        float32(2, 3), ("Neg", {}), ("ReduceSum", {"axes": (), "keepdims": 1, "noop_with_empty_axes": 1})
    ),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_shapes_and_attributes_are_rewritten_soundly(kind: str, rewriter: Rewriter) -> None:
    for seed in range(2):
        assert_sound(rewriter.rewrite(UNUSUAL[kind], seed, "steps", 3))


def test_binary_operators_on_empty_tensors_and_scalars(rewriter: Rewriter) -> None:
    for shape in ((0,), (2, 0), ()):
        build = GraphBuilder()
        x, y = build.input(float32(*shape)), build.input(float32(*shape))
        total = build.op("Add", build.op("Mul", x, y), x)
        joined = [build.op("Concat", total, y, axis=0)] if shape else []
        assert_sound(rewriter.rewrite(build.build([build.op("Relu", total), *joined]), 0, "steps", 4))


def test_a_convolution_has_a_group_although_a_tensor_has_no_channels(rewriter: Rewriter) -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2, 0, 3, 3)))
    graph = build.build([build.op("Mul", x, build.op("Neg", x))])
    for seed in range(6):
        for variant in rewriter.rewrite(graph, seed, "random", 3).variants:
            assert all(node.attrs["group"] for node in variant.graph.nodes if node.op == "Conv")


def test_a_size_of_zero_that_a_rule_reshapes_to_means_zero() -> None:
    """Products without rows, batch by batch, become one batch. This needs a Reshape to a shape with a 0."""
    merging = Rewriter([rule for rule in RULES if rule.name == "matmul-batches-merged"], ALL_RULES)
    build = GraphBuilder()
    x, y = build.input(float32(1, 1, 0, 1)), build.input(float32(1, 1, 1, 2))
    rewriting = merging.rewrite(build.build([build.op("MatMul", x, y)]), 0)
    assert_sound(rewriting)
    shapes = [
        node.attrs["shape"] for variant in rewriting.variants for node in variant.graph.nodes if node.op == "Reshape"
    ]
    assert (1, 0, 1) in shapes


def test_an_axis_from_the_end_is_no_second_axis(rewriter: Rewriter) -> None:
    """-1 and 1 are the same axis of a matrix, so the blocks must not be interchanged."""
    build = GraphBuilder()
    parts = [build.input(float32(2, 3)) for _ in range(4)]
    rows = [build.op("Concat", *parts[i : i + 2], axis=-1) for i in (0, 2)]
    graph = build.build([build.op("Concat", *rows, axis=1)])
    for seed in range(4):
        assert_sound(rewriter.rewrite(graph, seed, "steps", 4))


def test_broadcasts_are_folded_only_where_the_result_keeps_its_shape() -> None:
    build = GraphBuilder()
    x, y = build.input(float32(1, 3)), build.input(float32(3))
    wide = [build.op("Expand", v, shape=(2, 3)) for v in (x, y)]
    graph = fold_broadcasts(build.build([build.op("Add", *wide)]))
    assert [node.op for node in graph.nodes].count("Expand") == 1
    assert graph.output_types == (float32(2, 3),)


# --- limits -----------------------------------------------------------------------------------------------------------


def sum_of(count: int) -> Graph:
    build = GraphBuilder()
    total = build.input(float32(2, 3))
    for _ in range(count):
        total = build.op("Add", total, build.input(float32(2, 3)))
    return build.build([total])


def test_saturation_stops_by_itself_where_nothing_is_new() -> None:
    rewriting = Rewriter(load(only=["add-commutative"]), Budget(iterations=50, rules=None)).rewrite(sum_of(3), 0)
    assert rewriting.stopped_by == "saturated"
    assert rewriting.iterations < 50


def test_saturation_stops_after_the_iterations() -> None:
    rules = load(only=["add-commutative", "add-associative"])
    rewriting = Rewriter(rules, Budget(iterations=1, rules=None)).rewrite(sum_of(3), 0)
    assert (rewriting.stopped_by, rewriting.iterations) == ("iterations", 1)


def test_saturation_stops_at_the_enodes() -> None:
    budget = Budget(iterations=50, enodes=60, growth=1, matches=10**9, rules=None)
    rewriting = Rewriter(load(only=["add-*"]), budget).rewrite(sum_of(8), 0)
    assert rewriting.stopped_by == "enodes"
    assert rewriting.enodes > 60
    assert rewriting.iterations < 50


def test_saturation_stops_at_the_matches() -> None:
    budget = Budget(iterations=50, enodes=10**9, matches=20, rules=None)
    rewriting = Rewriter(load(only=["add-*"]), budget).rewrite(sum_of(8), 0)
    assert rewriting.stopped_by == "matches"
    assert sum(rewriting.rules.values()) > 20


@pytest.mark.parametrize(("slope", "single"), [(0.1, False), (float(np.float32(0.1)), True)])
def test_an_attribute_is_of_single_precision(rewriter: Rewriter, slope: float, single: bool) -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float64", (3,)))
    graph = build.build([build.op("PRelu", x, build.constant(np.full((1,), slope)))])
    rewriting = Rewriter(load(only=["prelu-of-constant"])).rewrite(graph, 0, "minmax", 2)
    operators = {node.op for variant in rewriting.variants for node in variant.graph.nodes}
    assert ("LeakyRelu" in operators) == single


def test_without_rules_the_variants_are_the_seed_graph() -> None:
    graph = generate(10, "without rules")
    rewriting = Rewriter(()).rewrite(graph, 0)
    assert rewriting.stopped_by == "saturated"
    assert not rewriting.rules
    assert [variant.operators for variant in rewriting.variants] == [operator_count(prune(graph))] * 2


def test_a_rule_that_is_switched_off_never_fires() -> None:
    few = ["add-*", "*-commutative"]
    on, off = Rewriter(load(only=few), ALL_RULES), Rewriter(load(only=few, without=["add-*"]), ALL_RULES)
    assert "add-commutative" in on.rewrite(sum_of(3), 0).rules
    assert not any(name.startswith("add-") for name in off.rewrite(sum_of(3), 0).rules)


def test_the_seed_enables_some_of_the_rules_that_can_match() -> None:
    rewriter = Rewriter(load(only=["add-commutative", "add-associative", "mul-commutative"]), Budget(rules=1))
    fired = [set(rewriter.rewrite(sum_of(2), seed).rules) for seed in range(40)]
    assert 8 < sum(rules == {"add-commutative"} for rules in fired) < 32
    assert not any("mul-commutative" in rules for rules in fired), "there is no Mul"


def test_a_rule_of_the_user_is_enabled_for_every_graph(tmp_path: Path) -> None:
    file = tmp_path / "mine.egg"
    file.write_text('(rewrite (Add x y) (Neg (Neg (Add x y))) :ruleset real :name "mine") ; x + y = -(-(x + y))\n')
    rewriter = Rewriter(load([file], only=["mine", "add-*"]), Budget(rules=2))
    assert all("mine" in rewriter.rewrite(sum_of(2), seed).rules for seed in range(8))


def test_a_chain_of_300_nodes_is_rewritten_within_bounds() -> None:
    graph = chain(float32(2, 3), *[("Neg", {}), ("Tanh", {}), ("Relu", {})] * 100)
    rewriting = Rewriter(RULES).rewrite(graph, 0)
    assert rewriting.enodes < 50 * 300
    assert len(distinct(rewriting.variants)) == 2
    assert rewriting.variants[-1].operators <= 360
    assert_sound(rewriting)


def test_a_generated_graph_of_500_nodes_is_rewritten_within_bounds() -> None:
    graph = generate(500, "large")
    rewriting = Rewriter(RULES).rewrite(graph, 0)
    assert rewriting.enodes < 30 * 500
    assert len(distinct(rewriting.variants)) == 2
    for variant in rewriting.variants:
        check(variant.graph)
        assert variant.graph.output_types == rewriting.seed.output_types


# --- rules that go wrong ----------------------------------------------------------------------------------------------

WRONG = {
    "an action that has no value": "(Transpose x (vec-of (vec-get (vec-of 0 1) 9)))",
    "an ill-typed term": "(And x x)",
    "an unknown element type": '(Cast x "float33")',
    "an output that a split lacks": "(Split x 0 (vec-of 1 1) 2)",
    "a shape that does not fit": "(Reshape x (vec-of 5) 0)",
}
"""Right sides, under an Abs, of rules that rewrite (Neg x)."""


@pytest.mark.parametrize("fault", WRONG)
def test_a_rule_that_makes_nonsense_raises_grapherror(fault: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.egg"
    file.write_text(
        f'(rule ((= e (Neg x))) ((union e (Abs {WRONG[fault]}))) :ruleset exact :name "wrong") ; nonsense\n'
    )
    rewriter = Rewriter(load([file], defaults=False), ALL_RULES)
    build = GraphBuilder()
    x = build.input(float32(2, 3))
    with pytest.raises(GraphError):
        rewriter.rewrite(build.build([build.op("Neg", x)]), 0)
    y = build.op("Relu", x)
    assert len(rewriter.rewrite(build.build([y]), 0).variants) == 2, "the next graph is rewritten all the same"


def test_a_graph_from_which_nothing_goes_stays_the_same_object() -> None:
    graph = prune(generate(12, "pruned"))
    assert prune(graph) is graph


def test_types_are_inferred_alike_from_attributes_without_a_hash() -> None:
    types = {"x": TensorType("float32", (2, 3))}
    listed, kept = (Node("Transpose", ("x",), ("y",), {"perm": perm}) for perm in ([1, 0], (1, 0)))
    assert infer_node(listed, types) == infer_node(kept, types) == (TensorType("float32", (3, 2)),)
    with pytest.raises(GraphError, match="y = Transpose"):
        infer_node(replace(kept, attrs={"perm": (0, 5)}), types)
