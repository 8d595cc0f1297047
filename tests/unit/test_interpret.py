"""The interpreter: observers, precisions, opaque operators, and graphs without a value."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, Node, TensorType, dtypes
from polyjuice.ops import TABLE, GraphBuilder


def one(op: str, *types: TensorType, **attrs: object) -> Graph:
    """The graph of one operator on inputs."""
    build = GraphBuilder()
    return build.build([build.op(op, *map(build.input, types), outputs=("y",), **attrs)])


def opaque(attrs: dict[str, object], identity: str = "", outputs: int = 2) -> Graph:
    build = GraphBuilder()
    x = build.input(TensorType("float64", (2, 3)), "x")
    names = tuple(f"y{i}" for i in range(outputs))
    types = [TensorType(t, (4,)) for t in ("float32", "int64")[:outputs]]
    build.append(Node("Twist", (x,), names, attrs, "mine", opaque=True, identity=identity), types)
    return build.build(names)


# --- observers --------------------------------------------------------------------------------------------------------


def test_observers_see_every_node_in_order_with_its_arrays() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (4,)))
    parts = build.multi("Split", build.op("Neg", x), axis=0, split=(1, 3))
    graph = build.build([build.op("Add", parts[0], parts[1])])
    seen: list[tuple[str, list[np.ndarray], list[np.ndarray]]] = []

    def observe(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        seen.append((node.op, list(operands), list(results)))

    (total,) = evaluate(graph, [np.arange(4, dtype=np.float32)], observers=[observe])
    assert [op for op, _, _ in seen] == ["Neg", "Split", "Add"]
    np.testing.assert_array_equal(seen[0][1][0], [0, 1, 2, 3])
    np.testing.assert_array_equal(seen[1][1][0], seen[0][2][0])
    np.testing.assert_array_equal(seen[1][2][1], [-1, -2, -3])
    np.testing.assert_array_equal(seen[2][1][0], seen[1][2][0])
    assert seen[2][2][0] is total


def test_two_observers_see_the_same() -> None:
    counts = [0, 0]

    def counter(i: int):
        def observe(node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
            counts[i] += 1

        return observe

    graph = generate(12, "observed")
    evaluate(graph, make_inputs(graph, "exact", 0), observers=[counter(0), counter(1)])
    assert counts == [12, 12]


def test_observed_arrays_have_the_declared_types() -> None:
    for seed in range(30):
        graph = generate(12, f"declared {seed}")

        def observe(
            node: Node, operands: Sequence[np.ndarray], results: Sequence[np.ndarray], graph: Graph = graph
        ) -> None:
            for name, array in zip((*node.inputs, *node.outputs), (*operands, *results), strict=True):
                assert TensorType(dtypes.dtype_of(array), array.shape) == graph.types[name], node

        try:
            evaluate(graph, make_inputs(graph, "exact", seed), observers=[observe])
        except EvaluationError:
            continue


# --- precision --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_float64_holds_what_the_graph_s_own_type_rounds(dtype: str) -> None:
    build = GraphBuilder()
    t = TensorType(dtype, (1,))
    x, y = build.input(t), build.input(t)
    graph = build.build([build.op("Sub", build.op("Add", x, y), x)])
    large = 2.0**11 if dtype == "float16" else 2.0**24
    inputs = [np.array([v]).astype(dtypes.to_numpy(dtype)) for v in (large, 1.0)]
    assert evaluate(graph, inputs)[0] == 0
    (wide,) = evaluate(graph, inputs, "float64")
    assert wide.dtype == np.float64
    assert wide == 1


def test_half_types_are_rounded_once_for_each_operator() -> None:
    """300 * 300 exceeds float16, and 256 + 1 exceeds bfloat16's exact integers. One operator's result may still fit."""
    product = one("ReduceProd", TensorType("float16", (3,)), axes=(0,))
    assert evaluate(product, [np.array([300, 300, 2**-10], np.float16)])[0] == np.float16(90000 / 1024)
    t = TensorType("bfloat16", (3,))
    inputs = [np.array([256, 1, 1]).astype(ml_dtypes.bfloat16)]
    assert evaluate(one("ReduceSum", t, axes=(0,)), inputs)[0] == 258
    build = GraphBuilder()
    parts = build.multi("Split", build.input(t), axis=0, split=(1, 1, 1))
    total = build.op("Add", build.op("Add", parts[0], parts[1]), parts[2])
    assert evaluate(build.build([total]), inputs)[0] == 256


def test_precision_leaves_integers_and_booleans_alone() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("int8", (2,)))
    graph = build.build([build.op("Add", x, x), build.op("Greater", x, x), build.op("Cast", x, to="float16")])
    results = evaluate(graph, [np.array([100, 1], np.int8)], "float64")
    assert [str(r.dtype) for r in results] == ["int8", "bool", "float64"]
    assert results[0].tolist() == [-56, 2]


def test_constants_are_held_in_the_precision_too() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("bfloat16", (1,)))
    third = build.constant(np.array([1 / 3]).astype(ml_dtypes.bfloat16))
    graph = build.build([build.op("Mul", x, third)])
    (wide,) = evaluate(graph, [np.array([3]).astype(ml_dtypes.bfloat16)], "float64")
    assert wide == 3 * float(ml_dtypes.bfloat16(1 / 3))
    assert wide != 1


# --- integers ---------------------------------------------------------------------------------------------------------


def test_int8_wraps_around() -> None:
    t = TensorType("int8", (3,))
    x, y = np.array([127, -128, 100], np.int8), np.array([1, -1, 3], np.int8)
    assert evaluate(one("Add", t, t), [x, y])[0].tolist() == [-128, 127, 103]
    assert evaluate(one("Mul", t, t), [x, y])[0].tolist() == [127, -128, 44]
    assert evaluate(one("Neg", t), [x])[0].tolist() == [-127, -128, -100]


def test_sums_and_products_wrap_in_their_own_type() -> None:
    matrix = TensorType("int32", (2, 2))
    x = np.full((2, 2), 2**16, np.int32)
    assert evaluate(one("MatMul", matrix, matrix), [x, x])[0].tolist() == [[0, 0], [0, 0]]
    top = np.full((2, 2), 2**31 - 1, np.int32)
    assert evaluate(one("ReduceSum", matrix, axes=(1,), keepdims=0), [top])[0].tolist() == [-2, -2]


def test_integer_division_truncates() -> None:
    t = TensorType("int32", (4,))
    result = evaluate(one("Div", t, t), [np.array([7, -7, 7, -7], np.int32), np.array([2, 2, -2, -2], np.int32)])[0]
    assert result.tolist() == [3, -3, -3, 3]


# --- no value ---------------------------------------------------------------------------------------------------------


def test_integer_division_by_zero_names_the_node() -> None:
    t = TensorType("int32", (2,))
    with pytest.raises(EvaluationError, match=r"node y = Div\(x0, x1\): integer division by zero"):
        evaluate(one("Div", t, t), [np.array([1, 2], np.int32), np.array([1, 0], np.int32)])


def test_an_index_out_of_range_names_the_node() -> None:
    graph = one("Gather", TensorType("float32", (3,)), TensorType("int64", (1,)), axis=0)
    assert evaluate(graph, [np.arange(3, dtype=np.float32), np.array([-3])])[0] == 0
    for index in (3, -4):
        with pytest.raises(EvaluationError, match=r"node y = Gather"):
            evaluate(graph, [np.arange(3, dtype=np.float32), np.array([index])])


def test_float_division_by_zero_is_infinite() -> None:
    t = TensorType("float32", (2,))
    result = evaluate(one("Div", t, t), [np.array([1, 0], np.float32), np.zeros(2, np.float32)])[0]
    assert np.isposinf(result[0])
    assert np.isnan(result[1])


# --- opaque operators -------------------------------------------------------------------------------------------------

X = np.linspace(-1, 1, 6).reshape(2, 3)


def test_an_opaque_operator_is_a_function_of_its_operands() -> None:
    graph = opaque({"k": 1})
    first, again, other = evaluate(graph, [X]), evaluate(graph, [X.copy()]), evaluate(graph, [X + 1])
    for a, b, c in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.shape == (4,)
        assert c.shape == (4,)
    assert [str(a.dtype) for a in first] == ["float32", "int64"]
    assert not np.array_equal(first[0], other[0])


def test_an_opaque_operator_depends_on_its_attributes_and_identity() -> None:
    values = [
        evaluate(opaque(attrs, identity), [X])[0].tobytes()
        for attrs, identity in (({"k": 1}, ""), ({"k": 2}, ""), ({}, ""), ({"k": 1}, "mine"), ({"k": 1}, "yours"))
    ]
    assert len(set(values)) == 5


def test_an_opaque_operator_does_not_see_the_rounding_of_float64() -> None:
    graph = opaque({})
    nearly = X * (1 + 2**-52)
    assert not np.array_equal(X, nearly)
    np.testing.assert_array_equal(evaluate(graph, [X])[0], evaluate(graph, [nearly])[0])


def test_an_opaque_operator_holds_its_floats_in_the_precision() -> None:
    assert [str(r.dtype) for r in evaluate(opaque({}), [X], "float64")] == ["float64", "int64"]


def test_an_unread_output_gets_no_value() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (4,)))
    node = Node("Split", (x,), ("", "rest"), {"axis": 0, "split": (1, 3)})
    build.append(node, [TensorType("float32", (1,)), TensorType("float32", (3,))])
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


def test_the_number_of_inputs_must_fit() -> None:
    with pytest.raises(ValueError, match="shorter"):
        evaluate(one("Neg", TensorType("float32", (2,))), [])


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
    build = GraphBuilder()
    scalar, empty = build.input(TensorType("float32", ())), build.input(TensorType("float32", (0, 2)))
    padded = [build.op("Pad", scalar, pads=(), value=1.0, mode=mode) for mode in ("constant", "edge")]
    sums = build.op("CumSum", empty, axis=0, exclusive=1, reverse=0)
    results = evaluate(build.build([*padded, sums]), [np.float32(3), np.zeros((0, 2), np.float32)])
    assert [r.tolist() for r in results] == [3.0, 3.0, []]


def test_an_axis_is_reduced_once() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2, 3)))
    with pytest.raises(GraphError, match="repeat"):
        build.op("ReduceMax", x, axes=(1, 1), keepdims=1)
