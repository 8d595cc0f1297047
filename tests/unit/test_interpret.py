"""The interpreter, and what is known beyond the numbers of a type: what analysis knows, all frameworks must give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, Shared, evaluate
from polyjuice.ir import Graph, GraphError, Node, TensorType, dtypes
from polyjuice.numerics import Analysis, Mode, analyse, distance
from polyjuice.numerics.judgement import mistyped
from polyjuice.ops import TABLE, GraphBuilder
from tests.support.bounds import assert_within, masked, single
from tests.support.graphs import apply, graph, typed


def opaque(attrs: dict[str, object], identity: str = "") -> Graph:
    build = GraphBuilder()
    x = build.input(typed("float64[2,3]"), "x")
    node = Node("Twist", (x,), ("y0", "y1"), attrs, "mine", opaque=True, identity=identity)
    build.append(node, [typed("float32[4]"), typed("int64[4]")])
    return build.build(node.outputs)


def test_observers_see_every_node_in_order_with_its_arrays() -> None:
    body = "a, b = Split(Neg(x), axis=0, split=(1, 3)); Add(a, b)"
    seen: list[tuple[str, list[np.ndarray], list[np.ndarray]]] = []

    def observe(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        seen.append((node.op, list(operands), list(results)))

    (total,) = evaluate(graph("float32[4] x", body), [np.arange(4, dtype=np.float32)], observers=[observe])
    assert [op for op, _, _ in seen] == ["Neg", "Split", "Add"]
    np.testing.assert_array_equal(seen[0][1][0], [0, 1, 2, 3])
    np.testing.assert_array_equal(seen[1][1][0], seen[0][2][0])
    np.testing.assert_array_equal(seen[1][2][1], [-1, -2, -3])
    assert seen[2][2][0] is total


def test_observed_arrays_have_the_declared_types() -> None:
    for seed in range(30):
        graph = generate(12, f"declared {seed}")

        def observe(
            node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray], graph: Graph = graph
        ) -> None:
            for name, array in zip((*node.inputs, *node.outputs), (*operands, *results), strict=True):
                assert not mistyped(array, graph.types[name]), node

        try:
            evaluate(graph, make_inputs(graph, "exact", seed), observers=[observe])
        except EvaluationError:
            continue


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_float64_holds_what_the_graph_s_own_type_rounds(dtype: str) -> None:
    made = graph(f"{dtype}[1] x y", "Sub(Add(x, y), x)")
    large = 2.0**11 if dtype == "float16" else 2.0**24
    inputs = [np.array([v]).astype(dtypes.to_numpy(dtype)) for v in (large, 1.0)]
    assert evaluate(made, inputs)[0] == 0
    (wide,) = evaluate(made, inputs, "float64")
    assert (wide.dtype, wide) == (np.float64, 1)


def test_half_types_are_rounded_once_for_each_operator() -> None:
    """300 * 300 exceeds float16, and 256 + 1 exceeds bfloat16's exact integers. One operator's result may still fit."""
    product = apply("ReduceProd", "float16[3]", axes=(0,))
    assert evaluate(product, [np.array([300, 300, 2**-10], np.float16)])[0] == np.float16(90000 / 1024)
    body = "a, b, c = Split(x, axis=0, split=(1, 1, 1)); ReduceSum(x, axes=(0,)), Add(Add(a, b), c)"
    inputs = [np.array([256, 1, 1]).astype(ml_dtypes.bfloat16)]
    assert [float(x.item()) for x in evaluate(graph("bfloat16[3] x", body), inputs)] == [258, 256]


def test_precision_leaves_integers_and_booleans_alone() -> None:
    made = graph("int8[2] x", "Add(x, x), Greater(x, x), Cast(x, to='float16')")
    results = evaluate(made, [np.array([100, 1], np.int8)], "float64")
    assert [str(r.dtype) for r in results] == ["int8", "bool", "float64"]
    assert results[0].tolist() == [-56, 2]


def test_constants_are_held_in_the_precision_too() -> None:
    made = graph("bfloat16[1] x", "Mul(x, [1 / 3])")
    (wide,) = evaluate(made, [np.array([3]).astype(ml_dtypes.bfloat16)], "float64")
    assert wide == 3 * float(ml_dtypes.bfloat16(1 / 3)) != 1


@pytest.mark.parametrize(
    ("op", "dtype", "arrays", "attrs", "expected"),
    [
        ("Add", "int8", ([127, -128, 100], [1, -1, 3]), {}, [-128, 127, 103]),
        ("Mul", "int8", ([127, -128, 100], [1, -1, 3]), {}, [127, -128, 44]),
        ("Neg", "int8", ([127, -128, 100],), {}, [-127, -128, -100]),
        ("MatMul", "int32", ([[2**16] * 2] * 2, [[2**16] * 2] * 2), {}, [[0, 0], [0, 0]]),
        ("ReduceSum", "int32", ([[2**31 - 1] * 2] * 2,), {"axes": (1,), "keepdims": 0}, [-2, -2]),
        ("Div", "int32", ([7, -7, 7, -7], [2, 2, -2, -2]), {}, [3, -3, -3, 3]),
    ],
)
def test_integers_wrap_around_in_their_own_type(
    op: str, dtype: str, arrays: Sequence[Any], attrs: dict[str, Any], expected: list[Any]
) -> None:
    inputs = [np.array(array, dtype) for array in arrays]
    made = apply(op, *(TensorType(dtype, x.shape) for x in inputs), **attrs)
    assert evaluate(made, inputs)[0].tolist() == expected


def test_what_has_no_value_names_the_node() -> None:
    with pytest.raises(EvaluationError, match=r"node v2 = Div\(x0, x1\): integer division by zero"):
        evaluate(apply("Div", "int32[2]", "int32[2]"), [np.array([1, 2], np.int32), np.array([1, 0], np.int32)])
    made, data = apply("Gather", "float32[3]", "int64[1]", axis=0), np.arange(3, dtype=np.float32)
    assert evaluate(made, [data, np.array([-3])])[0] == 0
    for index in (3, -4):
        with pytest.raises(EvaluationError, match=r"node v2 = Gather"):
            evaluate(made, [data, np.array([index])])


def test_float_division_by_zero_is_infinite() -> None:
    (result,) = evaluate(apply("Div", "float32[2]", "float32[2]"), [np.float32([1, 0]), np.zeros(2, np.float32)])
    assert np.isposinf(result[0])
    assert np.isnan(result[1])


X = np.linspace(-1, 1, 6).reshape(2, 3)


def test_an_opaque_operator_does_not_see_the_rounding_of_float64() -> None:
    graph = opaque({})
    nearly = X * (1 + 2**-52)
    assert not np.array_equal(X, nearly)
    np.testing.assert_array_equal(evaluate(graph, [X])[0], evaluate(graph, [nearly])[0])


def test_an_unread_output_gets_no_value() -> None:
    build = GraphBuilder()
    node = Node("Split", (build.input(typed("float32[4]")),), ("", "rest"), {"axis": 0, "split": (1, 3)})
    build.append(node, [typed("float32[1]"), typed("float32[3]")])
    assert evaluate(build.build(["rest"]), [np.arange(4, dtype=np.float32)])[0].tolist() == [1, 2, 3]


def test_inputs_are_not_written_to() -> None:
    for seed in range(20):
        graph = generate(10, f"untouched {seed}")
        inputs = make_inputs(graph, "normal", seed)
        copies = [x.copy() for x in inputs]
        for x in inputs:
            x.flags.writeable = False
        try:
            evaluate(graph, inputs)
        except EvaluationError:
            continue
        for x, copy in zip(inputs, copies, strict=True):
            assert x.tobytes() == copy.tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -1.0, -0.0, 1e308, 5e-324])
def test_elementwise_operators_have_a_meaning_everywhere(value: float) -> None:
    """NaN, infinities and poles are values. None stops the interpreter."""
    for op in TABLE.values():
        plain = op.elementwise and not op.attrs and all("float64" in op.types[variable] for variable in op.inputs)
        if plain:
            with np.errstate(all="ignore"):
                result = op.numpy([np.full(2, value) for _ in op.inputs], {})
            assert np.shape(result) == (2,), op.qualified


def test_unusual_shapes_have_values() -> None:
    modes = ", ".join(f"Pad(x, pads=(), value=1.0, mode='{mode}')" for mode in ("constant", "edge"))
    made = graph("float32[] x; float32[0,2] y", f"{modes}, CumSum(y, axis=0, exclusive=1, reverse=0)")
    assert [r.tolist() for r in evaluate(made, [np.float32(3), np.zeros((0, 2), np.float32)])] == [3.0, 3.0, []]


def test_an_axis_is_reduced_once() -> None:
    with pytest.raises(GraphError, match="repeat"):
        apply("ReduceMax", "float32[2,3]", axes=(1, 1), keepdims=1)


def test_an_opaque_operator_is_a_function_of_its_operands_attributes_and_identity() -> None:
    first, again, other, wide = (
        evaluate(opaque({"k": 1}), [x], *precision) for x, *precision in ((X,), (X.copy(),), (X + 1,), (X, "float64"))
    )
    assert [(str(a.dtype), a.shape) for a in first] == [("float32", (4,)), ("int64", (4,))]
    assert [str(a.dtype) for a in wide] == ["float64", "int64"]
    assert [a.tobytes() for a in first] == [a.tobytes() for a in again]
    assert not np.array_equal(first[0], other[0])
    ways = (({"k": 1}, ""), ({"k": 2}, ""), ({}, ""), ({"k": 1}, "mine"), ({"k": 1}, "yours"))
    assert len({evaluate(opaque(*way), [X])[0].tobytes() for way in ways}) == 5


USUAL, WRAP, EDGE = Mode(), Mode(wrap=True), Mode(wrap=True, edge=True)

INF, NAN = np.inf, np.nan

DENORMAL = 2.0**-140


def analysed(mode: Mode, op: str, dtype: str, *arrays: Sequence[float] | float, **attrs: object) -> Analysis:
    """The analysis of one operator, of ONNX or ATen, on given inputs."""
    return single(op if ("", op) in TABLE else f"aten.{op}", dtype, *arrays, mode=mode, **attrs)


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
    body = "q = Div(x, y); Add(q, far), Mul(q, far), Mul(Sub(q, [1 / 3, 1.0]), far)"
    inputs = np.float32([1.0, 1.0]), np.float32([3.0, 1.0]), np.float32([-INF, -INF])
    added, multiplied, unsure = analyse(graph("float32[2] x y far", body), inputs)
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


def attention(dtype: str, fill: float, chosen: bool, twice: bool = False) -> tuple[Graph, list[np.ndarray]]:
    """softmax(q k + mask) v, decomposed. The mask is added or chosen. T5 adds it twice."""
    of_type = dtypes.to_numpy(dtype)
    seen = np.tri(4, 5, dtype=bool)
    scores = "Where(seen, MatMul(q, k), far)" if chosen else "Add(mask, MatMul(q, k))"
    body = f"""s = {scores}
s = {"Add(s, Tanh(s))" if twice and not chosen else "s"}
e = Exp(Sub(s, ReduceMax(s, axes=(1,), keepdims=1)))
weights = Div(e, ReduceSum(e, axes=(1,), keepdims=1))
MatMul(Softmax(s, axis=1), v), MatMul(weights, v), Exp(LogSoftmax(s, axis=1)), \\
    ReduceLogSumExp(s, axes=(1,), keepdims=0)"""
    made = graph(
        f"{dtype}[4,8] q; {dtype}[8,5] k; {dtype}[5,3] v",
        body,
        seen=seen,
        far=np.asarray(fill).astype(of_type),
        mask=np.where(seen, 0.0, fill).astype(of_type),
    )
    rng = np.random.default_rng(0)
    return made, [rng.standard_normal(t.shape).astype(of_type) for t in made.input_types]


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
    inputs = np.float32([2.0, -2.0, 1e-9]), np.float32([3.0, 3.0, 3.0])
    (analysis,) = analyse(graph("float32[3] x y", f"Pow(Div(x, y), {exponent})"), inputs)
    assert masked(analysis) == [False, exponent == 0.5, False]
    assert analysis.bound[0] < 1e-5


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
    known = graph("float32[3] x", "Greater(Relu(Neg(x)), x)")
    assert masked(analyse(known, [np.float32([0.0, 1.0, -1.0])])[0]) == [False, False, False]


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
    body = (
        "t = Add(x, y); Cast(t, to='float32'), Less(t, x), Cast(Cast(t, to='int32'), to='uint8'), "
        "ReduceMax(t, axes=(0,), keepdims=0)"
    )
    found = analyse(graph("int8[2] x y", body), [np.int8([100, 1]), np.int8([100, 2])], mode=WRAP)
    assert [one.reference.tolist() for one in found] == [[-56.0, 3.0], [True, False], [200, 3], 3]
    assert not any(one.bound.any() for one in found)


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


def test_graphs_that_share_results_have_the_values_of_each_alone() -> None:
    """Other operands, attributes, constants or types make other applications."""
    pairs = [
        ("float32[4] x y", "Clip(x, min=0.0, max=2.0)", "Clip(x, min=0.0, max=3.0)"),
        ("float32[4] x y", "Sub(x, y)", "Sub(y, x)"),
        ("float32[2,2] x y", "Softmax(x, axis=0)", "Softmax(x, axis=1)"),
        ("float32[4] x y", "Add(x, 2)", "Add(x, 3)"),
        ("int32[4] x y", 'Cast(x, to="float32")', 'Cast(x, to="int8")'),
    ]
    for inputs, *bodies in pairs:
        several = [graph(inputs, body) for body in bodies]
        arrays = make_inputs(several[0], "normal", 0)
        shared = Shared()
        for each in [*several, *several]:
            for value, alone in zip(
                evaluate(each, arrays, "float64", shared=shared), evaluate(each, arrays, "float64"), strict=True
            ):
                assert value.dtype == alone.dtype
                np.testing.assert_array_equal(value, alone)


def test_generated_graphs_have_the_same_values_with_shared_results() -> None:
    for seed in range(60):
        made = generate(8, f"shared {seed}")
        try:
            inputs = make_inputs(made, "wrap", seed)
            alone = evaluate(made, inputs, "float64")
        except EvaluationError:
            continue
        shared = Shared()
        for _ in range(2):
            for value, other in zip(evaluate(made, inputs, "float64", shared=shared), alone, strict=True):
                np.testing.assert_array_equal(value, other)


def test_equal_applications_are_evaluated_once() -> None:
    shared, x = Shared(), np.ones(4, np.float32)
    (first,), (second,) = (evaluate(graph("float32[4] x", "Exp(x)"), [x], "float64", shared=shared) for _ in range(2))
    assert first is second
