"""Error bounds, exactness and masks: every correct compiler stays within them, so that no alarm is false."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Node, TensorType, dtypes
from polyjuice.numerics import (
    SAFETY,
    Analyses,
    Analysis,
    Mode,
    analyse,
    as_good_as_equal,
    distance,
    possibly_reproducible,
)
from polyjuice.ops import TABLE, GraphBuilder
from tests.support.applications import application, integers
from tests.support.bounds import assert_within, masked, single
from tests.support.shares import in_the_long_run

OPS = {op.name: op for op in TABLE.values()}


def analysis_of(op: str, dtype: str, *arrays: Sequence[float] | float, **attrs: object) -> Analysis:
    """The analysis of one operator on given inputs."""
    build, names, values = single(dtype, *arrays)
    return analyse(build.build([build.op(op, *names, **attrs)]), values)[0]


# --- bounds hold ------------------------------------------------------------------------------------------------------


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


def test_results_below_the_smallest_normal_number_may_be_flushed_to_zero() -> None:
    analysis = analysis_of("Mul", "float32", [2.0**-100], [2.0**-40])
    assert analysis.reference[0] == 2.0**-140
    assert distance(np.zeros(1), analysis.reference) <= SAFETY * analysis.bound


# --- bitwise comparison ----------------------------------------------------------------------------------------------


def test_small_integers_are_exact_and_come_out_bit_for_bit() -> None:
    for name in ("Add", "Mul", "Max", "Sub"):
        for dtype in dtypes.NUMERIC:
            build, names, values = single(dtype, [3, 5, 6], [1, 2, 3])
            graph = build.build([build.op(name, *names)])
            (analysis,) = analyse(graph, values)
            assert analysis.reproducible
            assert not analysis.bound.any()
            assert evaluate(graph, values)[0].astype(np.float64).tolist() == analysis.reference.tolist()


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
            build = GraphBuilder()
            names = [build.input(operand.type) for operand in operands]
            graph = build.build(build.multi(name, *names, domain=op.domain, **attrs))
            arrays = [integers(values, operand, -2, 2) for operand in operands]
            analyses = analyse(graph, arrays)
            assert_within(evaluate(graph, arrays), analyses, graph)
            exact += all(a.reproducible for a in analyses)
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


def test_the_edge_of_what_its_type_holds_is_exact() -> None:
    assert analysis_of("Add", "int8", [100], [27]).reproducible
    assert analysis_of("Sub", "int64", [2**62], [1]).reproducible
    assert analysis_of("Add", "float16", [2047], [1]).reproducible
    assert analysis_of("Add", "float32", [2**24 - 1], [1]).reproducible


def test_integers_that_wrap_around_are_known_however_their_operands_lie_in_memory() -> None:
    """A float64 sum of large terms depends on their order, and so on the layout."""
    build = GraphBuilder()
    x = build.input(TensorType("int64", (8, 2, 17)))
    graph = build.build([build.op("MatMul", x, build.op("Transpose", x, perm=(0, 2, 1)))])
    values = np.random.default_rng(0).integers(-(2**62), 2**62, (8, 2, 17))
    analysis = analyse(graph, [values], mode=Mode(wrap=True))[0]
    assert analysis.reproducible
    assert not analysis.bound.any()


def test_an_input_beyond_the_exact_integers_is_not_exact() -> None:
    """2**24 + 2 is a float32, but an addition beside it rounds."""
    assert not analysis_of("Relu", "float32", [2**24 + 2]).reproducible


def test_partial_sums_beyond_the_type_lose_exactness_though_the_sum_fits() -> None:
    for dtype, large in (("float32", 2.0**24), ("float16", 2048.0), ("int32", 2.0**31 - 1), ("int64", 2.0**53)):
        fine = analysis_of("ReduceSum", dtype, [large / 4 // 1, 1, -(large / 4 // 1)], axes=(0,))
        lost = analysis_of("ReduceSum", dtype, [large, 1, -large], axes=(0,))
        assert fine.reproducible
        assert not lost.reproducible
    row, column = [[2.0**12, 1.0]], [[2.0**12], [1.0]]
    assert not analysis_of("MatMul", "float32", row, column).reproducible
    assert analysis_of("MatMul", "float32", [[2.0**11, 1.0]], [[2.0**12], [1.0]]).reproducible


def test_what_is_no_integer_is_not_exact_nor_what_comes_of_it() -> None:
    build, (x, y), values = single("float32", [0.5], [2.0])
    half = build.op("Relu", x)
    graph = build.build([half, build.op("Mul", half, y), build.op("Relu", y)])
    assert [a.reproducible for a in analyse(graph, values)] == [False, False, True]


def test_operators_that_round_are_not_exact_even_on_integers() -> None:
    assert not analysis_of("Div", "float32", [6.0], [2.0]).reproducible
    assert not analysis_of("Exp", "float32", [0.0]).reproducible
    assert not analysis_of("ReduceMean", "float32", [1.0, 3.0], axes=(0,)).reproducible


def test_the_scale_of_an_exact_sum_may_be_applied_to_its_terms() -> None:
    """Compilers fold the scale behind a convolution into its weights. If terms cancel, this leaves an error."""
    rng = np.random.default_rng(0)
    x, w = rng.integers(-9, 10, (40, 60)), rng.integers(-9, 10, (60, 50))
    build, (first, second, scale), values = single("float32", x, w, 0.3)
    product = build.op("MatMul", first, second)
    sum_, scaled = analyse(build.build([product, build.op("Mul", product, scale)]), values)
    folded = x.astype("float32") @ (w.astype("float32") * np.float32(0.3))
    assert sum_.reproducible
    assert not sum_.bound.any()
    assert assert_within([folded], [scaled], "scaled weights")
    assert np.max(scaled.bound) < 1e-2


def test_what_is_decided_by_an_exact_sum_is_not_in_doubt() -> None:
    build, (first, second), values = single("float32", [[1, 2], [3, 4]], [[1, -1], [0, 1]])
    product = build.op("MatMul", first, second)
    graph = build.build([build.op("Greater", product, build.op("Sub", product, second))])
    assert not analyse(graph, values)[0].bound.any()


def test_no_elements_at_all_are_exact() -> None:
    assert analysis_of("Add", "float32", np.zeros((0, 3)), np.zeros((0, 3))).reproducible


def test_a_graph_of_rounding_operators_may_not_be_exact() -> None:
    build, (x, y), _ = single("float32", [1.0], [2.0])
    half = build.constant(np.array([0.5], np.float32))
    assert any(possibly_reproducible(build.build([build.op("Exp", x), build.op("Add", x, y)])))
    assert not any(possibly_reproducible(build.build([build.op("Exp", x), build.op("Mul", y, half)])))


# --- masks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_ties_of_an_index_are_masked_where_their_order_is_open(op: str, dtype: str) -> None:
    sign = 1 if op == "ArgMax" else -1
    rows = np.asarray(sign * np.array([[1, 3, 3], [1, 2, 3], [2, 2, 2], [3, 3, 4]]), dtype)
    build = GraphBuilder()
    graph = build.build([build.op(op, build.input(TensorType(dtype, rows.shape)), axis=1, keepdims=0)])
    assert masked(analyse(graph, [rows], mode=Mode(ordered=False))[0]) == [True, False, True, False]
    assert masked(analyse(graph, [rows])[0]) == [False] * 4


def test_the_scale_of_nothing_but_zeros_is_masked() -> None:
    """DynamicQuantizeLinear would divide by this scale. ONNX Runtime uses 1."""
    build = GraphBuilder()
    graph = build.build(build.multi("DynamicQuantizeLinear", build.input(TensorType("float32", (3,)))))
    assert all(np.isinf(part.bound).all() for part in analyse(graph, [np.zeros(3, np.float32)]))
    assert np.isfinite(analyse(graph, [np.arange(3, dtype=np.float32)])[1].bound)


def test_an_index_is_masked_where_the_runner_up_is_within_the_error() -> None:
    build, (x, y), values = single("float32", [[1.0, 1.0, 0.5], [2.0, 1.0, 0.5]], [[3.0, 3.0, 3.0]] * 2)
    close = build.constant(np.array([0, 1e-8, 0], np.float32))
    graph = build.build([build.op("ArgMax", build.op("Add", build.op("Div", x, y), close), axis=1, keepdims=0)])
    assert masked(analyse(graph, values)[0]) == [True, False]


def test_a_comparison_within_the_error_is_masked() -> None:
    build, (x, y, z), values = single("float32", [1.0, 1.0, 1.0], [3.0] * 3, [1 / 3, 0.33, 0.34])
    graph = build.build([build.op("Greater", build.op("Div", x, y), z)])
    (analysis,) = analyse(graph, values)
    assert masked(analysis) == [True, False, False]
    assert analysis.reference[1:].tolist() == [True, False]


def test_a_comparison_of_what_has_no_error_is_never_masked() -> None:
    assert masked(analysis_of("GreaterOrEqual", "float32", [1.0, 0.1], [1.0, 0.1])) == [False, False]


@pytest.mark.parametrize("op", ["Floor", "Ceil", "Cast"])
def test_a_step_within_the_error_is_masked(op: str) -> None:
    build, (x, y), values = single("float32", [6.0, 7.0], [2.0, 2.0])
    graph = build.build([build.op(op, build.op("Div", x, y), **({"to": "int32"} if op == "Cast" else {}))])
    assert masked(analyse(graph, values)[0]) == [True, False]


def test_rounding_to_even_is_masked_at_halves_and_not_at_integers() -> None:
    build, (x, y), values = single("float32", [6.0, 7.0], [2.0, 2.0])
    graph = build.build([build.op("Round", build.op("Div", x, y))])
    assert masked(analyse(graph, values)[0]) == [False, True]


def test_a_cast_out_of_range_is_masked() -> None:
    assert masked(analysis_of("Cast", "float32", [127.0, 128.0, -129.0], to="int8")) == [False, True, True]
    assert masked(analysis_of("Cast", "float32", [np.nan, np.inf, 1.0], to="int32")) == [True, True, False]
    assert masked(analysis_of("Cast", "int32", [255, 256, -1], to="uint8")) == [False, True, True]
    assert masked(analysis_of("Cast", "float32", [65000.0, 70000.0], to="float16")) == [False, True]


def test_a_choice_by_an_unstable_condition_is_masked() -> None:
    build, (x, y, z), values = single("float32", [1.0, 1.0], [3.0, 3.0], [1 / 3, 0.5])
    close = build.op("Less", build.op("Div", x, y), z)
    assert masked(analyse(build.build([build.op("Where", close, x, y)]), values)[0]) == [True, False]


def test_nan_overflow_and_poles_are_masked() -> None:
    assert masked(analysis_of("Log", "float32", [-1.0, 0.0, 1.0])) == [True, True, False]
    assert masked(analysis_of("Div", "float32", [1.0, 0.0, 1.0], [0.0, 0.0, 2.0])) == [True, True, False]
    assert masked(analysis_of("Exp", "float16", [11.0, 12.0])) == [False, True]
    assert masked(analysis_of("Add", "float32", [np.nan, np.inf, 3e38], [1.0, -np.inf, 3e38])) == [True, True, True]


@pytest.mark.parametrize(("large", "expected"), [(5e23, True), (5e3, False)])
def test_what_an_operator_squares_may_overflow(large: float, expected: bool) -> None:
    """The results are in range: float64 normalises to 0.6. In float32 the variance is infinite, and the result 0."""
    x, ones = [large, 2.0, 3.0, 4.0], [1.0] * 4
    layer: dict[str, object] = {"axis": -1, "epsilon": 1e-5}
    rms: dict[str, object] = {"domain": "aten", "normalized_shape": (4,), "eps": 1e-5}
    assert masked(analysis_of("LayerNormalization", "float32", x, ones, **layer)) == [expected] * 4
    assert masked(analysis_of("rms_norm", "float32", x, ones, **rms)) == [expected] * 4
    assert masked(analysis_of("cdist", "float32", [x], [ones], domain="aten", p=2.0)) == [expected]


def test_a_mask_moves_with_its_element() -> None:
    build, (x, y), values = single("float32", [[1.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 1.0]])
    quotient = build.op("Div", x, y)
    graph = build.build(
        [
            build.op(
                "Transpose", build.op("Slice", quotient, starts=(0,), ends=(1,), axes=(0,), steps=(1,)), perm=(1, 0)
            ),
            build.op("ReduceSum", quotient, axes=(1,), keepdims=0),
            build.op("MatMul", quotient, x),
            build.op("Concat", x, quotient, axis=0),
        ]
    )
    moved, summed, multiplied, joined = analyse(graph, values)
    assert masked(moved) == [True, False]
    assert masked(summed) == [True, False]
    assert masked(multiplied) == [True, True, False, False]
    assert masked(joined) == [False] * 4 + [True, False, False, False]


def test_zero_times_a_masked_element_stays_masked() -> None:
    build, (x, y, zero), values = single("float32", [1.0, 1.0], [0.0, 1.0], [0.0, 0.0])
    graph = build.build([build.op("Mul", build.op("Div", x, y), zero)])
    assert masked(analyse(graph, values)[0]) == [True, False]


def test_opaque_values_are_masked_unless_they_are_known() -> None:
    build, (x,), values = single("float32", [1.0, 2.0])
    build.append(Node("Twist", (x,), ("y",), {}, "mine", opaque=True), [TensorType("float32", (2,))])
    graph = build.build([build.op("Add", "y", x), build.op("Relu", x)])
    mixed, clean = analyse(graph, values)
    assert masked(mixed) == [True, True]
    assert not mixed.reproducible
    assert not mixed.comparable
    assert clean.reproducible
    known, _ = analyse(graph, values, known_opaque=True)
    assert masked(known) == [False, False]
    assert known.comparable
    np.testing.assert_array_equal(evaluate(graph, values, "float64")[0], known.reference)


def test_an_opaque_operator_of_masked_operands_is_masked_though_it_is_known() -> None:
    build, (x, y), values = single("float32", [1.0, 2.0], [0.0, 1.0])
    quotient = build.op("Div", x, y)
    build.append(Node("Twist", (quotient,), ("z",), {}, "mine", opaque=True), [TensorType("float32", (2,))])
    assert masked(analyse(build.build(["z"]), values, known_opaque=True)[0]) == [True, True]


# --- distance ---------------------------------------------------------------------------------------------------------

INF, NAN = float("inf"), float("nan")


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


# --- on demand --------------------------------------------------------------------------------------------------------


def test_analyses_are_those_of_each_set_of_inputs() -> None:
    build, (x,), _ = single("float32", [1.0])
    graph = build.build([build.op("Neg", x)])
    sets = [[np.array([v], np.float32)] for v in (1.0, 2.0)]
    made = Analyses(graph, sets)
    assert len(made) == 2
    assert [made[i][0].reference.tolist() for i in (1, 0, 1)] == [[-2.0], [-1.0], [-2.0]]
    assert made[1] is made[1]


def test_each_set_of_inputs_has_its_own_mode() -> None:
    build, (x,), _ = single("int8", [1])
    graph = build.build([build.op("Add", x, x)])
    made = Analyses(graph, [[np.array([100], np.int8)]] * 2, [Mode(), Mode(wrap=True)])
    assert [masked(made[i][0]) for i in range(2)] == [[True], [False]]
