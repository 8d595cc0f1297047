"""Error bounds, exactness, masks and judgements: every correct compiler stays within its bounds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import parser

from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import generate
from polyjuice.inputs import PROFILES, make_inputs, mode
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import (
    SAFETY,
    Analyses,
    Analysis,
    Mode,
    analyse,
    as_good_as_equal,
    describe,
    distance,
    judge,
    listing,
    mistyped,
    possibly_reproducible,
)
from polyjuice.numerics.masks import MASKS, masks
from polyjuice.ops import TABLE
from polyjuice.triage.record import in_words
from tests.support.applications import application, integers, one_node
from tests.support.bounds import assert_within, masked, single
from tests.support.graphs import apply, graph
from tests.support.shares import in_the_long_run

OPS = {op.name: op for op in TABLE.values()}


def analysis_of(op: str, dtype: str, *arrays: Sequence[float] | float, **attrs: object) -> Analysis:
    """The analysis of one operator, of ONNX or ATen, on given inputs."""
    return single(op if ("", op) in TABLE else f"aten.{op}", dtype, *arrays, **attrs)


def analyses(inputs: str, body: str, *arrays: object, **options: Any) -> Sequence[Analysis]:
    made = graph(inputs, body)
    values = [np.asarray(a).astype(dtypes.to_numpy(t.dtype)) for a, t in zip(arrays, made.input_types, strict=True)]
    return analyse(made, values, **options)


@pytest.mark.parametrize("profile", ["exact", "normal"])
def test_generated_graphs_stay_within_their_bounds(profile: str) -> None:
    bounded = exact = 0
    for seed in range(80):
        graph = generate(10, f"bounds {seed}")
        try:
            inputs = make_inputs(graph, profile, seed)
            results = evaluate(graph, inputs)
        except EvaluationError:
            continue
        analyses = analyse(graph, inputs)
        bounded += assert_within(results, analyses, graph)
        exact += sum(a.reproducible for a in analyses)
        assert any(possibly_reproducible(graph)) or not any(a.reproducible for a in analyses)
    assert bounded > 30_000
    assert exact > (60 if profile == "exact" else 3)


@pytest.mark.parametrize("profile", [*PROFILES])
def test_no_analysis_finds_a_correctly_rounded_result_wrong(profile: str) -> None:
    settled = other = 0
    for seed in range(125):
        graph = generate(4, f"rounded {seed}", strategy="small")
        try:
            inputs = make_inputs(graph, profile, seed)
            values, results = evaluate(graph, inputs, "float64"), evaluate(graph, inputs)
        except EvaluationError:
            continue
        analysed = analyse(graph, inputs, mode=mode(profile))
        made = Analyses(graph, [inputs], [mode(profile)])
        for k, (value, result) in enumerate(zip(values, results, strict=True)):
            nearest = value.astype(result.dtype)
            moved = np.where(result == nearest, nearest, result) + np.ones((), result.dtype)
            for array in (nearest, result, moved):
                rounded = made.rounded(0, k, array.astype(result.dtype))
                settled, other = settled + rounded, other + (not rounded)
                assert not (rounded and judge(array.astype(result.dtype), analysed[k])), graph
    assert settled > other > 100


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_bounds_for_one_precision_hold_for_an_evaluation_in_it(precision: str) -> None:
    bounded = 0
    for seed in range(60):
        graph = generate(8, f"precision {seed}")
        try:
            inputs = make_inputs(graph, "normal", seed)
            results = evaluate(graph, inputs, precision)
        except EvaluationError:
            continue
        if all(t.dtype != "float16" for t in graph.types.values()):  # its range differs
            bounded += assert_within(results, analyse(graph, inputs, precision), graph)
    assert bounded > 10_000


def test_a_bound_is_not_so_wide_that_it_says_nothing() -> None:
    """A wrong sum of ten numbers shows in every type: bounds are small compared with the values."""
    for dtype in dtypes.FLOATS:
        analysis = analysis_of("ReduceSum", dtype, np.linspace(0.1, 1.7, 10), axes=(0,), keepdims=0)
        assert 0 < analysis.bound < 0.1 * analysis.reference


def test_small_integers_are_exact_and_come_out_bit_for_bit() -> None:
    for name in ("Add", "Mul", "Max", "Sub"):
        for dtype in dtypes.NUMERIC:
            values = [np.array(x).astype(dtypes.to_numpy(dtype)) for x in ([3, 5, 6], [1, 2, 3])]
            made = apply(name, f"{dtype}[3]", f"{dtype}[3]")
            (analysis,) = analyse(made, values)
            assert analysis.reproducible
            assert not analysis.bound.any()
            assert evaluate(made, values)[0].astype(np.float64).tolist() == analysis.reference.tolist()


@pytest.mark.parametrize("applications", [2, *in_the_long_run(4)])
@pytest.mark.parametrize("name", sorted(name for name, op in OPS.items() if op.integer_exact))
def test_operators_that_are_exact_on_integers_are_exact_in_every_type(name: str, applications: int) -> None:
    op = OPS[name]
    exact = 0
    for dtype in op.types[op.inputs[0]]:
        for seed in range(applications):
            rng, values = random.Random(f"exact {name} {dtype} {seed}"), np.random.default_rng(seed)
            try:
                operands, attrs = application(op, rng, dtype)
            except AssertionError:  # its samples accept only other types
                continue
            made = one_node(op, operands, attrs)
            arrays = [integers(values, operand, -2, 2) for operand in operands]
            found = analyse(made, arrays)
            assert_within(evaluate(made, arrays), found, made)
            exact += all(a.reproducible for a in found)
    assert exact


@pytest.mark.parametrize(
    ("op", "dtype", "x", "y"),
    [
        ("Add", "int8", 100, 100),
        ("Sub", "uint8", 3, 4),
        ("Mul", "int16", 300, 300),
        ("Mul", "int64", 2**40, 2**40),
        ("Add", "int64", 2**63 - 1, 1),
        ("Add", "float16", 2048, 1),
        ("Add", "bfloat16", 256, 1),
        ("Add", "float32", 2**24, 1),
        ("Add", "float64", 2**53, 1),
        ("Mul", "float32", 2**13, 2**12),
    ],
)
def test_what_its_type_cannot_hold_is_not_exact(op: str, dtype: str, x: int, y: int) -> None:
    analysis = analysis_of(op, dtype, [x], [y])
    assert not analysis.reproducible
    if dtypes.is_int(dtype):
        assert np.isinf(analysis.bound).all(), "overflow is masked"
    else:
        assert np.isfinite(analysis.bound).all()


def test_integers_that_wrap_around_are_known_however_their_operands_lie_in_memory() -> None:
    """A float64 sum of large terms depends on their order, and so on the layout."""
    values = np.random.default_rng(0).integers(-(2**62), 2**62, (8, 2, 17))
    body = "MatMul(x, Transpose(x, perm=(0, 2, 1)))"
    (analysis,) = analyses("int64[8,2,17] x", body, values, mode=Mode(wrap=True))
    assert analysis.reproducible
    assert not analysis.bound.any()


@pytest.mark.parametrize(
    ("op", "dtype", "arrays", "attrs", "exact"),
    [
        ("Add", "int8", ([100], [27]), {}, True),
        ("Sub", "int64", ([2**62], [1]), {}, True),
        ("Add", "float16", ([2047], [1]), {}, True),
        ("Add", "float32", ([2**24 - 1], [1]), {}, True),
        ("Relu", "float32", ([2**24 + 2],), {}, False),  # it is a float32, but an addition beside it rounds
        ("MatMul", "float32", ([[2.0**12, 1.0]], [[2.0**12], [1.0]]), {}, False),
        ("MatMul", "float32", ([[2.0**11, 1.0]], [[2.0**12], [1.0]]), {}, True),
        ("Div", "float32", ([6.0], [2.0]), {}, False),
        ("Exp", "float32", ([0.0],), {}, False),
        ("ReduceMean", "float32", ([1.0, 3.0],), {"axes": (0,)}, False),
        ("Add", "float32", (np.zeros((0, 3)), np.zeros((0, 3))), {}, True),
    ],
)
def test_what_is_exact(op: str, dtype: str, arrays: Sequence[Any], attrs: dict[str, Any], exact: bool) -> None:
    assert analysis_of(op, dtype, *arrays, **attrs).reproducible == exact


def test_partial_sums_beyond_the_type_lose_exactness_though_the_sum_fits() -> None:
    for dtype, large in (("float32", 2.0**24), ("float16", 2048.0), ("int32", 2.0**31 - 1), ("int64", 2.0**53)):
        for top, exact in ((large / 4 // 1, True), (large, False)):
            assert analysis_of("ReduceSum", dtype, [top, 1, -top], axes=(0,)).reproducible == exact


def test_what_is_no_integer_is_not_exact_nor_what_comes_of_it() -> None:
    found = analyses("float32[1] x y", "half = Relu(x); half, Mul(half, y), Relu(y)", [0.5], [2.0])
    assert [a.reproducible for a in found] == [False, False, True]


def test_the_scale_of_an_exact_sum_may_be_applied_to_its_terms() -> None:
    """Compilers fold the scale behind a convolution into its weights. If terms cancel, this leaves an error."""
    rng = np.random.default_rng(0)
    x, w = rng.integers(-9, 10, (40, 60)), rng.integers(-9, 10, (60, 50))
    inputs = "float32[40,60] x; float32[60,50] w; float32[] scale"
    sum_, scaled = analyses(inputs, "p = MatMul(x, w); p, Mul(p, scale)", x, w, 0.3)
    folded = x.astype("float32") @ (w.astype("float32") * np.float32(0.3))
    assert sum_.reproducible
    assert not sum_.bound.any()
    assert assert_within([folded], [scaled], "scaled weights")
    assert np.max(scaled.bound) < 1e-2


def test_a_scale_that_takes_partial_sums_out_of_range_takes_exactness() -> None:
    """The result is an integer in range, and so is each partial sum before the scale, but not after it."""
    x, w = [[2**20, 1, -(2**20)]], [[1], [1], [1]]
    for scale, exact in ((3, True), (2**10, False)):
        graph_inputs = "float32[1,3] x; float32[3,1] w; float32[] scale"
        found = analyses(graph_inputs, "p = MatMul(x, w); q = Reshape(p, shape=(1,)); p, Mul(q, scale)", x, w, scale)
        assert [a.reproducible for a in found] == [True, exact]


def test_what_is_decided_by_an_exact_sum_is_not_in_doubt() -> None:
    body = "p = MatMul(x, y); Greater(p, Sub(p, y))"
    assert not analyses("float32[2,2] x y", body, [[1, 2], [3, 4]], [[1, -1], [0, 1]])[0].bound.any()


def test_a_graph_of_rounding_operators_may_not_be_exact() -> None:
    assert any(possibly_reproducible(graph("float32[1] x y", "Exp(x), Add(x, y)")))
    assert not any(possibly_reproducible(graph("float32[1] x y", "Exp(x), Mul(y, [0.5])")))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_ties_of_an_index_are_masked_where_their_order_is_open(op: str, dtype: str) -> None:
    rows = (1 if op == "ArgMax" else -1) * np.array([[1, 3, 3], [1, 2, 3], [2, 2, 2], [3, 3, 4]], dtype)
    for ordered, expected in ((False, [True, False, True, False]), (True, [False] * 4)):
        assert masked(single(op, dtype, rows, mode=Mode(ordered=ordered), axis=1, keepdims=0)) == expected


def test_the_scale_of_nothing_but_zeros_is_masked() -> None:
    """DynamicQuantizeLinear would divide by this scale. ONNX Runtime uses 1."""
    made = apply("DynamicQuantizeLinear", "float32[3]")
    assert all(np.isinf(part.bound).all() for part in analyse(made, [np.zeros(3, np.float32)]))
    assert np.isfinite(analyse(made, [np.arange(3, dtype=np.float32)])[1].bound)


NEAR = [[1.0, 1.0, 0.5], [2.0, 1.0, 0.5]], [[3.0, 3.0, 3.0]] * 2


@pytest.mark.parametrize(
    ("inputs", "body", "arrays", "expected"),
    [
        pytest.param("float32[2,3] x y", "ArgMax(Add(Div(x, y), [0, 1e-8, 0]), axis=1, keepdims=0)", NEAR, [1, 0],
                     id="an index, where the runner-up is within the error"),
        pytest.param("float32[3] x y z", "Greater(Div(x, y), z)", ([1.0] * 3, [3.0] * 3, [1 / 3, 0.33, 0.34]),
                     [1, 0, 0], id="a comparison"),
        pytest.param("float32[2] x y", "GreaterOrEqual(x, y)", ([1.0, 0.1], [1.0, 0.1]), [0, 0],
                     id="a comparison of what has no error"),
        *(pytest.param("float32[2] x y", f"{op}Div(x, y){end})", ([6.0, 7.0], [2.0, 2.0]), [1, 0], id=f"a step: {op}")
          for op, end in (("Floor(", ""), ("Ceil(", ""), ("Cast(", ", to='int32'"))),
        pytest.param("float32[2] x y", "Round(Div(x, y))", ([6.0, 7.0], [2.0, 2.0]), [0, 1], id="a half"),
        pytest.param("float32[2] x y z", "Where(Less(Div(x, y), z), x, y)", ([1.0] * 2, [3.0] * 2, [1 / 3, 0.5]),
                     [1, 0], id="a choice by an unstable condition"),
        pytest.param("float32[2] x y z", "Mul(Div(x, y), z)", ([1.0, 1.0], [0.0, 1.0], [0.0, 0.0]), [1, 0],
                     id="zero times what is masked"),
        pytest.param("float32[3] x", "Cast(x, to='int8')", ([127.0, 128.0, -129.0],), [0, 1, 1], id="a cast to int8"),
        pytest.param("float32[3] x", "Cast(x, to='int32')", ([np.nan, np.inf, 1.0],), [1, 1, 0], id="a cast of NaN"),
        pytest.param("int32[3] x", "Cast(x, to='uint8')", ([255, 256, -1],), [0, 1, 1], id="a cast to uint8"),
        pytest.param("float32[2] x", "Cast(x, to='float16')", ([65000.0, 70000.0],), [0, 1], id="a cast to float16"),
        pytest.param("float32[3] x", "Log(x)", ([-1.0, 0.0, 1.0],), [1, 1, 0], id="NaN and a pole"),
        pytest.param("float32[3] x y", "Div(x, y)", ([1.0, 0.0, 1.0], [0.0, 0.0, 2.0]), [1, 1, 0], id="quotients"),
        pytest.param("float16[2] x", "Exp(x)", ([11.0, 12.0],), [0, 1], id="overflow"),
        pytest.param("float32[3] x y", "Add(x, y)", ([np.nan, np.inf, 3e38], [1.0, -np.inf, 3e38]), [1, 1, 1],
                     id="sums"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_masked(inputs: str, body: str, arrays: Sequence[Any], expected: list[int]) -> None:
    (analysis,) = analyses(inputs, body, *arrays)
    assert masked(analysis) == list(map(bool, expected))


@pytest.mark.parametrize(("large", "expected"), [(5e23, True), (5e3, False)])
def test_what_an_operator_squares_may_overflow(large: float, expected: bool) -> None:
    """The results are in range: float64 normalises to 0.6. In float32 the variance is infinite, and the result 0."""
    x, ones = [large, 2.0, 3.0, 4.0], [1.0] * 4
    assert masked(analysis_of("LayerNormalization", "float32", x, ones, axis=-1, epsilon=1e-5)) == [expected] * 4
    assert masked(analysis_of("rms_norm", "float32", x, ones, normalized_shape=(4,), eps=1e-5)) == [expected] * 4
    assert masked(analysis_of("cdist", "float32", [x], [ones], p=2.0)) == [expected]


def test_a_mask_moves_with_its_element() -> None:
    body = (
        "q = Div(x, y); Transpose(Slice(q, starts=(0,), ends=(1,), axes=(0,), steps=(1,)), perm=(1, 0)), "
        "ReduceSum(q, axes=(1,), keepdims=0), MatMul(q, x), Concat(x, q, axis=0)"
    )
    found = analyses("float32[2,2] x y", body, [[1.0, 1.0]] * 2, [[0.0, 1.0], [1.0, 1.0]])
    assert list(map(masked, found)) == [
        [True, False],
        [True, False],
        [True, True, False, False],
        [False] * 4 + [True, False, False, False],
    ]


def test_opaque_values_are_masked_unless_they_are_known() -> None:
    made, values = with_twist("x", "Add(twisted, x), Abs(Abs(x))"), [np.float32([1.0, 2.0])]
    mixed, clean = analyse(made, values)
    assert masked(mixed) == [True, True]
    assert not mixed.reproducible
    assert not mixed.comparable
    assert clean.reproducible
    known, _ = analyse(made, values, known_opaque=True)
    assert masked(known) == [False, False]
    assert known.comparable
    np.testing.assert_array_equal(evaluate(made, values, "float64")[0], known.reference)


def with_twist(operand: str, body: str) -> Graph:
    """A graph of x in which ``twisted`` is the result of an opaque operator."""
    made = graph("float32[2] x", f"twisted = Relu({operand}); {body}")
    at = [node.op for node in made.nodes].index("Relu")
    twist = replace(made.nodes[at], op="Twist", domain="mine", opaque=True)
    return replace(made, nodes=(*made.nodes[:at], twist, *made.nodes[at + 1 :]))


def test_analyses_are_those_of_each_set_of_inputs_and_its_mode() -> None:
    sets = [[np.array([v], np.int8)] * 2 for v in (100, 2, 100)]
    made = Analyses(apply("Add", "int8[1]", "int8[1]"), sets, [Mode(), Mode(), Mode(wrap=True)])
    assert len(made) == 3
    assert [made[i][0].reference.tolist() for i in (1, 2, 1)] == [[4], [-56], [4]]
    assert [masked(made[i][0]) for i in range(3)] == [[True], [False], [False]]
    assert made[1] is made[1]


def test_an_opaque_operator_of_masked_operands_is_masked_though_it_is_known() -> None:
    made = with_twist("Div(x, [0.0, 1.0])", "twisted")
    assert masked(analyse(made, [np.float32([1.0, 2.0])], known_opaque=True)[0]) == [True, True]


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        (1.0, 1.5, 0.5),
        (0.0, -0.0, 0.0),
        (INF, INF, 0.0),
        (INF, -INF, INF),
        (INF, 1.0, INF),
        (NAN, NAN, 0.0),
        (NAN, 1.0, INF),
        (INF, NAN, INF),
    ],
)
def test_the_distance_of_two_numbers(a: float, b: float, wanted: float) -> None:
    for x, y in ((a, b), (b, a)):
        assert distance(np.array([x]), np.array([y])).tolist() == [wanted]


def test_large_integers_one_apart_are_not_the_same() -> None:
    x = np.array([2**53, 2**63 - 1, -(2**63), 5])
    y = np.array([2**53 + 1, 2**63 - 2, 2**63 - 1, 5])
    gap = distance(x, y)
    assert (gap[:2] >= 1).all()
    assert gap[2] == 2.0**64
    assert gap[3] == 0


def test_as_good_as_equal_are_the_last_places_and_the_same_infinities() -> None:
    x = np.array([1.0, 0.0, np.inf, -np.inf, np.nan])
    assert as_good_as_equal(x, x * (1 + 2.0**-52))
    for i, other in enumerate((1.001, 1e-300, 1.0, np.inf, 0.0)):
        y = x.copy()
        y[i] = other
        assert not as_good_as_equal(x, y)
        assert not as_good_as_equal(y, x)


def test_the_distance_of_booleans_and_half_types() -> None:
    assert distance(np.array([True, False]), np.array([True, True])).tolist() == [0.0, 1.0]
    half = np.array([1.5]).astype(dtypes.to_numpy("bfloat16"))
    assert distance(half, np.array([1.0])).tolist() == [0.5]


def analysis(reference: object, bound: object, exact: bool = False, dtype: str = "float32") -> Analysis:
    array = np.asarray(reference, np.float64 if dtypes.is_float(dtype) else dtypes.to_numpy(dtype))
    return Analysis(
        TensorType(dtype, array.shape), array, np.broadcast_to(np.asarray(bound, np.float64), array.shape), exact
    )


def test_an_element_is_wrong_beyond_its_bound_and_a_masked_one_never() -> None:
    known = analysis([1.0, 1.0, 1.0, 1.0], [0.1, 0.1, np.inf, 0.0])
    judgement = judge(np.array([1.0 + SAFETY * 0.1 - 1e-6, 1.5, 99.0, 1.0]), known)
    assert judgement.wrong.tolist() == [False, True, False, False]
    assert judgement
    assert judgement.worst == (1,)
    np.testing.assert_allclose(judgement.excess[1], 5.0)
    assert not judge(known.reference, known)


def test_what_the_uncompiled_run_gets_as_wrong_is_not_held_against_the_compiler() -> None:
    known = analysis([1.0, 1.0, 1.0], 0.1)
    result = np.array([2.0, 2.0, 2.0])
    assert judge(result, known, plain=np.array([1.0, 2.0, 3.0])).wrong.tolist() == [True, False, False]


def test_the_worst_element_is_farthest_outside_its_bound_not_farthest_off() -> None:
    known = analysis([0.0, 0.0, 0.0], [1.0, 1e-6, 1e-6])
    assert judge(np.array([100.0, 1e-3, 2e-3]), known).worst == (2,)


def test_nan_and_infinity_are_right_where_they_are_expected() -> None:
    known = analysis([np.nan, np.inf, -np.inf, 1.0, np.nan], 0.0)
    judgement = judge(np.array([np.nan, np.inf, np.inf, np.nan, 0.0]), known)
    assert judgement.wrong.tolist() == [False, False, True, True, True]
    assert "is not even near at 3 of 5 elements ([2], [3], [4])" in describe(
        "max", np.full(5, np.inf), known, judgement
    )


def test_a_mismatch_says_who_is_wrong_by_how_much_and_where() -> None:
    known = analysis(np.ones((2, 3)), 1e-5)
    result = np.ones((2, 3))
    result[0, 1], result[1, 2] = 1.5, 4.1
    assert describe("min", result, known, judge(result, known)) == (
        "min is off by 3.1e+05 times its error bound at 2 of 6 elements ([0, 1], [1, 2]); "
        "at [1, 2] it gives 4.1, and float64 1"
    )


def test_an_exact_result_that_is_off_says_so_without_a_ratio() -> None:
    known = analysis([7, 8], 0.0, exact=True, dtype="int64")
    result = np.array([7, 2**62 + 1])
    assert describe("max", result, known, judge(result, known)) == (
        "max is off by 4.61e+18 where the result is exact at 1 of 2 elements ([1]); "
        "at [1] it gives 4611686018427387905, and float64 8"
    )
    scalar = analysis(True, 0.0, dtype="bool")
    assert "at its only element; at [] it gives False, and float64 True" in describe(
        "a", np.array(False), scalar, judge(np.array(False), scalar)
    )


def test_a_listing_is_cut_short() -> None:
    assert listing(np.ones(6, bool), most=2) == "6 of 6 elements ([0], [1], ...)"
    assert listing(np.zeros((2, 2), bool)) == "0 of 4 elements"


@pytest.mark.parametrize("dtype", dtypes.ALL)
def test_a_result_of_another_type_or_shape_is_told(dtype: str) -> None:
    result = np.zeros((2, 3), dtypes.to_numpy(dtype))
    assert mistyped(result, TensorType(dtype, (2, 3))) == ""
    for other in dtypes.ALL:
        if other != dtype:
            assert mistyped(result, TensorType(other, (2, 3))) == f"element type {result.dtype}, not {other}"
    assert mistyped(result, TensorType(dtype, (3, 2))) == "shape (2, 3), not (3, 2)"
    assert " and " in mistyped(np.zeros(2, "datetime64[s]"), TensorType(dtype, ()))


X = "float[4] x) => (float[4] y)"


def found(
    signature: str, body: str, inputs: Sequence[Sequence[float]], mode: Mode, dtype: str = "float32"
) -> dict[tuple[str, str], int]:
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18, "own" : 1]> g ({signature} {{ {body} }}')
    arrays = [np.array(x, dtype) for x in inputs]
    return dict(masks(graph_files.from_model(model, "test"), arrays, 0, mode))


@pytest.mark.parametrize(
    ("signature", "body", "inputs", "mode", "expected"),
    [
        (X, "y = Neg(x)", [[1.5, 2, 3, 4]], Mode(), {}),
        (X, "z = Exp(x) y = Neg(z)", [[1000, 0.5, 1, 1000]], Mode(), {("overflow", "Exp"): 2}),
        (X, "y = Log(x)", [[0, 0.5, 1, 2]], Mode(), {("overflow", "Log"): 1}),
        (X, "z = Sqrt(x) y = Ceil(z)", [[4, 2, 0.3, 0.25]], Mode(), {("error", "Ceil"): 1}),
        (f"{X} <float low = {{0}}>", "y = Clip(x, low)", [[INF, 0, 1, 2]], Mode(edge=True), {("disputed", "Clip"): 1}),
        (X, "y = Softmax(x)", [[INF, 0, 1, 2]], Mode(), {("limits", "Softmax"): 4}),
        (
            "float[4] x) => (int64[1] y)",
            "y = ArgMax<axis = 0>(x)",
            [[1, 3, 3, 2]],
            Mode(ordered=False),
            {("ties", "ArgMax"): 1},
        ),
        ("float[4] x) => (int64[1] y)", "y = ArgMax<axis = 0>(x)", [[1, 3, 3, 2]], Mode(), {}),
        (
            "float[4] x, float[4] w) => (bool[4] y)",
            "z = Sqrt(x) y = Greater(z, w)",
            [[2, 4, 9, 1], [1.4142135, 1, 1, 5]],
            Mode(),
            {("error", "Greater"): 1},
        ),
        (X, "y = own.Thing(x)", [[1, 2, 3, 4]], Mode(), {("opaque", "own.Thing"): 4}),
        (
            X,
            "z = Cast<to = 10>(x) y = Cast<to = 1>(z)",
            [[0.1, 0.2, 0.3, 0.4]],
            Mode(excess_precision=("float16",)),
            {("excess_precision", "Cast"): 4},
        ),
    ],
)
def test_each_mask_is_named_with_its_operator(
    signature: str,
    body: str,
    inputs: Sequence[Sequence[float]],
    mode: Mode,
    expected: dict[tuple[str, str], int],
) -> None:
    assert found(signature, body, inputs, mode) == expected


def test_operators_on_which_the_output_does_not_depend_bring_no_mask() -> None:
    signature = "float[4] x) => (float[4] y, float[4] z)"
    assert found(signature, "y = Neg(x) z = Log(x)", [[0, 1, 2, 3]], Mode()) == {}


def test_the_page_on_verdicts_explains_every_mask() -> None:
    page = (Path(__file__).parents[2] / "docs/verdicts.md").read_text()
    assert [name for name in MASKS if f"`{name}`" not in page] == []


def test_a_decision_in_words() -> None:
    assert [*in_words({})] == ["No error bound and no mask decided this finding."]
    assert [
        *in_words(
            {
                "by": "the error bound",
                "elements": 4,
                "left_out": 1,
                "masks": [{"mask": "ties", "operator": "ArgMax", "elements": 1}],
                "uncompiled": "a complex number is not finite",
            }
        )
    ] == [
        "Decided by the error bound.",
        "The error bounds leave 1 of 4 elements open.",
        "ties: 1 elements of ArgMax (equal elements, of which the framework may take any).",
        "The uncompiled run does not decide them: a complex number is not finite.",
    ]


def test_a_sum_that_is_exact_in_one_order_only_has_an_error() -> None:
    """A compiler may add two constants first: 2 - 0.3 is rounded, and -2 + 2 - 0.3 is not."""
    w, b, c = np.full((1, 1, 1, 1), 2, np.float32), np.full(1, 2, np.float32), np.float32(-0.3)
    convolution = "Conv(x, w, b, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1)"
    made = graph("float32[1,1,1,1] x", f"Add({convolution}, c)", w=w, b=b, c=c)
    (analysis,) = analyse(made, [np.full((1, 1, 1, 1), -1, np.float32)])
    assert 2.0**-24 < analysis.bound.item() < 2.0**-20


def test_the_bound_of_an_interpolation_holds_for_each_formula_that_frameworks_use() -> None:
    start, end, weight = (np.array([value], np.float32) for value in (0.0, -0.72320575, -0.72320575))
    (found,) = analyse(graph("float32[1] x y w", "aten.lerp(x, y, w)"), [start, end, weight])
    other = end - (end - start) * (np.float32(1) - weight)
    assert np.abs(other - (start + weight * (end - start))) > 0
    assert np.abs(other - found.reference) <= found.bound
