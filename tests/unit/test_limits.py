"""Beyond the numbers of a type: infinities, NaN, signed zeros, denormal numbers, and integers that wrap around.

Where the analysis knows a result, every framework must give it. The rest is masked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import Analysis, Mode, analyse, distance
from polyjuice.ops import TABLE, GraphBuilder
from tests.support.bounds import assert_within, masked, single

USUAL, WRAP, EDGE = Mode(), Mode(wrap=True), Mode(wrap=True, edge=True)

INF, NAN = np.inf, np.nan

DENORMAL = 2.0**-140


def analysed(mode: Mode, op: str, dtype: str, *arrays: Sequence[float] | float, **attrs: object) -> Analysis:
    """The analysis of one operator, of ONNX or ATen, on given inputs."""
    domain = "" if ("", op) in TABLE else "aten"
    build, names, values = single(dtype, *arrays)
    return analyse(build.build([build.op(op, *names, domain=domain, **attrs)]), values, mode=mode)[0]


# --- results of infinities are always known ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "x", "expected"),
    [
        ("Exp", [-INF, 0.0], [0.0, 1.0]),
        ("Tanh", [INF, -INF], [1.0, -1.0]),
        ("Sigmoid", [-INF, INF], [0.0, 1.0]),
        ("Relu", [-INF, INF], [0.0, INF]),
        ("Neg", [-INF, INF], [INF, -INF]),
        ("Reciprocal", [-INF, INF], [0.0, 0.0]),
        ("Floor", [-INF, INF], [-INF, INF]),
        ("Atan", [-INF, INF], [-np.pi / 2, np.pi / 2]),
        ("IsInf", [-INF, 0.0], [1.0, 0.0]),
    ],
)
def test_a_function_has_its_limit_at_infinity(op: str, x: list[float], expected: list[float]) -> None:
    attrs = {"detect_negative": 1, "detect_positive": 1} if op == "IsInf" else {}
    analysis = analysed(USUAL, op, "float32", x, **attrs)
    assert (analysis.bound < 1e-5).all()
    assert (distance(analysis.reference, np.array(expected)) < 1e-12).all()


@pytest.mark.parametrize(
    ("op", "x", "y", "expected"),
    [
        ("Add", -INF, 3e38, -INF),
        ("Sub", 1.0, INF, -INF),
        ("Mul", -INF, 2.0, -INF),
        ("Div", 5.0, -INF, 0.0),
        ("Max", -INF, -7.0, -7.0),
        ("Greater", 1.0, -INF, 1.0),
    ],
)
def test_an_infinite_operand_decides(op: str, x: float, y: float, expected: float) -> None:
    analysis = analysed(USUAL, op, "float32", [x], [y])
    assert analysis.bound[0] < 1e-30
    assert analysis.reference[0] == expected


def test_an_infinity_stays_known_beside_errors_unless_they_decide() -> None:
    build, (x, y, far), values = single("float32", [1.0, 1.0], [3.0, 1.0], [-INF, -INF])
    rounded = build.op("Div", x, y)
    near_zero = build.op("Sub", rounded, build.constant(np.array([1 / 3, 1.0], np.float32)))
    graph = build.build([build.op("Add", rounded, far), build.op("Mul", rounded, far), build.op("Mul", near_zero, far)])
    added, multiplied, unsure = analyse(graph, values)
    assert not added.bound.any()
    assert not multiplied.bound.any()
    assert masked(unsure) == [True, True]


def test_what_cancels_or_overflows_is_masked() -> None:
    assert masked(analysed(USUAL, "Sub", "float32", [INF, 1.0], [INF, 1.0])) == [True, False]
    assert masked(analysed(USUAL, "Add", "float16", [60000.0, INF], [60000.0, 60000.0])) == [True, False]
    assert masked(analysed(USUAL, "ReduceSum", "float16", [40000.0, 40000.0, -40000.0], axes=(0,), keepdims=0)) == [
        True
    ]


def test_sums_and_extremes_over_infinities() -> None:
    rows = [[1.0, -INF, 2.0], [-INF, INF, 0.0], [1.0, 2.0, 4.0], [-INF, -INF, -INF]]
    summed = analysed(USUAL, "ReduceSum", "float32", rows, axes=(1,), keepdims=0)
    assert masked(summed) == [False, True, False, False]
    assert summed.reference[[0, 3]].tolist() == [-INF, -INF]
    greatest = analysed(USUAL, "ReduceMax", "float32", rows, axes=(1,), keepdims=0)
    assert masked(greatest) == [False, False, False, True]
    assert masked(analysed(USUAL, "ArgMax", "float32", rows, axis=1, keepdims=0)) == [False, False, False, True]
    top = analysed(USUAL, "ReduceLogSumExp", "float32", rows, axes=(1,), keepdims=0)
    assert masked(top) == [False, True, False, False]
    assert top.reference[3] == -INF


def test_the_rounding_of_a_sum_loses_at_most_the_smaller_operand() -> None:
    least = -dtypes.largest_finite("float32")
    for size in (7.5, -7.5):
        analysis = analysed(USUAL, "Add", "float32", [least], [size])
        assert 0 < analysis.bound[0] <= 7.5


# --- masked attention -------------------------------------------------------------------------------------------------


def attention(dtype: str, fill: float, chosen: bool, twice: bool = False) -> tuple[Graph, list[np.ndarray]]:
    """softmax(q k + mask) v, decomposed. The mask is added or chosen. T5 adds it twice."""
    rng = np.random.default_rng(0)
    build = GraphBuilder()
    q, k, v = (build.input(TensorType(dtype, shape)) for shape in ((4, 8), (8, 5), (5, 3)))
    seen = np.tri(4, 5, dtype=bool)
    scores = build.op("MatMul", q, k)
    if chosen:
        far = build.constant(np.asarray(fill).astype(dtypes.to_numpy(dtype)))
        scores = build.op("Where", build.constant(seen), scores, far)
    else:
        mask = build.constant(np.where(seen, 0.0, fill).astype(dtypes.to_numpy(dtype)))
        scores = build.op("Add", mask, scores)
        scores = build.op("Add", scores, build.op("Tanh", scores)) if twice else scores
    top = build.op("ReduceMax", scores, axes=(1,), keepdims=1)
    parts = build.op("Exp", build.op("Sub", scores, top))
    weights = build.op("Div", parts, build.op("ReduceSum", parts, axes=(1,), keepdims=1))
    logs = build.op("LogSoftmax", scores, axis=1)
    outputs = [build.op("MatMul", w, v) for w in (build.op("Softmax", scores, axis=1), weights)]
    graph = build.build([*outputs, build.op("Exp", logs), build.op("ReduceLogSumExp", scores, axes=(1,), keepdims=0)])
    return graph, [rng.standard_normal(t.shape).astype(dtypes.to_numpy(dtype)) for t in graph.input_types]


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("fill", ["-inf", "least"])
@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_masked_attention_can_be_compared(dtype: str, chosen: bool, fill: str, twice: bool) -> None:
    value = -INF if fill == "-inf" else -dtypes.largest_finite(dtype)
    graph, inputs = attention(dtype, value, chosen, twice)
    analyses = analyse(graph, inputs)
    assert_within(evaluate(graph, inputs), analyses, graph)
    for analysis in analyses:
        assert (analysis.bound < 5e3 * dtypes.unit_roundoff(dtype)).all(), "a bound that says nothing"


@pytest.mark.parametrize("fill", [-INF, -3e38])
def test_masked_attention_as_one_operator_can_be_compared(fill: float) -> None:
    rng = np.random.default_rng(0)
    mask = np.where(np.tri(4, dtype=bool), 0.0, fill)
    q, k, v = (rng.standard_normal((2, 4, 8)) for _ in range(3))
    analysis = analysed(USUAL, "scaled_dot_product_attention", "float32", q, k, v, mask, is_causal=0, scale=None)
    assert (analysis.bound < 1e-4).all()
    causal = analysed(USUAL, "scaled_dot_product_attention", "float32", q, k, v, is_causal=1, scale=None)
    assert (distance(causal.reference, analysis.reference) < 1e-12).all()


def test_a_line_that_is_masked_out_whole_has_no_softmax() -> None:
    analysis = analysed(USUAL, "Softmax", "float32", [[-INF, -INF], [-INF, 0.0]], axis=1)
    assert masked(analysis) == [True, True, False, False]
    assert analysis.reference[1].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("exponent", [2.0, 3.0, -2.0, 0.5])
def test_a_power_by_a_constant_is_known_on_either_side_of_zero(exponent: float) -> None:
    build, (x, y), values = single("float32", [2.0, -2.0, 1e-9], [3.0, 3.0, 3.0])
    power = build.op("Pow", build.op("Div", x, y), build.constant(np.array(exponent, np.float32)))
    analysis = analyse(build.build([power]), values)[0]
    assert masked(analysis) == [False, exponent == 0.5, False]
    assert analysis.bound[0] < 1e-5


# --- edge -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "x", "expected"),
    [
        ("Log", [-1.0, 0.0, -0.0], [NAN, -INF, -INF]),
        ("Sqrt", [-4.0, 0.0, NAN], [NAN, 0.0, NAN]),
        ("IsNaN", [NAN, INF, 0.0], [1.0, 0.0, 0.0]),
        ("Acos", [2.0, 1.0, NAN], [NAN, 0.0, NAN]),
    ],
)
def test_nan_and_poles_are_known_in_edge_mode_alone(op: str, x: list[float], expected: list[float]) -> None:
    known = analysed(EDGE, op, "float32", x)
    assert not masked(known).count(True)
    assert not distance(known.reference, np.array(expected)).any()
    usual = analysed(USUAL, op, "float32", x)
    special = [
        np.isnan(a) or (np.isfinite(b) and not np.isfinite(a)) or np.isnan(b) for a, b in zip(expected, x, strict=True)
    ]
    assert masked(usual) == special


@pytest.mark.parametrize(
    ("op", "x", "y"),
    [("Div", 1.0, 0.0), ("Div", 1.0, -0.0), ("Pow", 0.0, -1.0), ("atan2", 0.0, -1.0), ("copysign", 1.0, 0.0)],
)
def test_what_depends_on_the_sign_of_a_zero_is_masked(op: str, x: float, y: float) -> None:
    assert masked(analysed(EDGE, op, "float32", [x], [y])) == [True]


def test_what_a_zero_of_either_sign_gives_is_known() -> None:
    quotient = analysed(EDGE, "Div", "float32", [0.0, 1.0, INF], [0.0, -INF, 2.0])
    assert masked(quotient) == [False] * 3
    assert np.isnan(quotient.reference[0])
    assert not analysed(EDGE, "Pow", "float32", [0.0], [-2.0]).bound.any()
    assert masked(analysed(EDGE, "signbit", "float32", [0.0, -1.0, NAN])) == [True, False, True]


def test_overflow_is_masked_in_edge_mode_too() -> None:
    largest = dtypes.largest_finite("float32")
    assert masked(analysed(EDGE, "Exp", "float32", [100.0, 1000.0, 1.0])) == [True, True, False]
    assert masked(analysed(EDGE, "Add", "float32", [largest, largest], [largest, 0.0])) == [True, False]
    assert masked(analysed(EDGE, "Div", "float32", [1.0], [1e-39])) == [True], "1e-39 may be taken for zero"


def test_an_operator_that_may_compute_with_greater_numbers_masks_huge_ones() -> None:
    huge = dtypes.largest_finite("float32") / 4
    assert masked(analysed(EDGE, "HardSwish", "float32", [huge, 3.0])) == [True, False]
    assert masked(analysed(EDGE, "Relu", "float32", [huge, 3.0])) == [False, False]


def test_denormal_numbers_may_be_taken_for_zero() -> None:
    for op, allowed in (("Neg", 0.0), ("Relu", 0.0), ("Abs", 0.0), ("Mul", 0.0)):
        operands = ([DENORMAL], [1.0]) if op == "Mul" else ([DENORMAL],)
        analysis = analysed(USUAL, op, "float32", *operands)
        assert abs(analysis.reference[0]) == DENORMAL
        assert distance(np.array([allowed]), analysis.reference) <= analysis.bound
    assert masked(analysed(USUAL, "Greater", "float32", [DENORMAL, 1.0], [0.0, 0.0])) == [True, False]
    assert masked(analysed(USUAL, "Sign", "float32", [DENORMAL, -0.0])) == [True, False]
    assert masked(analysed(USUAL, "Log", "float32", [DENORMAL])) == [True]
    flushed = analysed(USUAL, "Max", "float32", [-DENORMAL], [0.0])
    assert distance(np.array([-DENORMAL]), flushed.reference) <= flushed.bound


def test_a_choice_of_known_numbers_is_known() -> None:
    """No value is rounded, so every later decision is certain."""
    build, (x,), values = single("float32", [0.0, 1.0, -1.0])
    graph = build.build([build.op("Greater", build.op("Relu", build.op("Neg", x)), x)])
    assert masked(analyse(graph, values)[0]) == [False, False, False]


# --- wrap -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "x", "y", "expected"),
    [("Add", 100, 100, -56), ("Sub", -100, 100, 56), ("Mul", 100, 3, 44), ("bitwise_left_shift", 100, 2, -112)],
)
def test_integers_wrap_around_in_wrap_mode_alone(op: str, x: int, y: int, expected: int) -> None:
    known = analysed(WRAP, op, "int8", [x], [y])
    assert known.reference.tolist() == [expected]
    assert known.reproducible
    assert not known.bound.any()
    assert masked(analysed(USUAL, op, "int8", [x], [y])) == [True]


def test_what_is_computed_of_wrapped_integers_is_known() -> None:
    build, (x, y), values = single("int8", [100, 1], [100, 2])
    total = build.op("Add", x, y)
    graph = build.build(
        [
            build.op("Cast", total, to="float32"),
            build.op("Less", total, x),
            build.op("Cast", build.op("Cast", total, to="int32"), to="uint8"),
            build.op("ReduceMax", total, axes=(0,), keepdims=0),
        ]
    )
    wide, less, bits, greatest = analyse(graph, values, mode=WRAP)
    assert wide.reference.tolist() == [-56.0, 3.0]
    assert not wide.bound.any()
    assert less.reference.tolist() == [True, False]
    assert bits.reference.tolist() == [200, 3]
    assert greatest.reference == 3
    assert not any(a.bound.any() for a in (less, bits, greatest))


@pytest.mark.parametrize("op", ["Div", "floor_divide", "remainder", "Mod"])
def test_the_least_integer_divided_by_minus_one_is_masked(op: str) -> None:
    attrs = {"fmod": 0} if op == "Mod" else {}
    assert masked(analysed(WRAP, op, "int8", [-128, -127, -128], [-1, -1, 1], **attrs))[0]
    assert not masked(analysed(WRAP, "Div", "int8", [-127], [-1]))[0]


def test_what_leaves_its_type_on_other_ways_stays_masked() -> None:
    assert masked(analysed(WRAP, "Cast", "float32", [200.0, 100.0], to="int8")) == [True, False]
    assert masked(analysed(WRAP, "Cast", "int32", [200, 100], to="int8")) == [False, False]
    assert masked(analysed(WRAP, "bitwise_right_shift", "int8", [5, 5, 5], [8, -1, 7])) == [True, True, False]
    assert masked(analysed(WRAP, "ReduceSum", "int32", [2**31 - 1, 1], axes=(0,), keepdims=0)) == [True]


def test_sums_of_large_integers_are_masked_where_some_compute_in_floating_types() -> None:
    for mode in (USUAL, WRAP):
        assert masked(analysed(mode, "ReduceSum", "int64", [2**60, 1], axes=(0,), keepdims=0)) == [True]
        assert masked(analysed(mode, "ReduceSum", "int64", [2**50, 1], axes=(0,), keepdims=0)) == [False]
        assert masked(analysed(mode, "CumSum", "int64", [2**60, 1], axis=0)) == [False, False]
