"""Values of 8-bit and 4-bit types in which nothing is computed: the results of casts, and the storage of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from onnx import ModelProto, inliner, shape_inference

from polyjuice.egraph import Rewriter, load
from polyjuice.execution.protocol import from_wire, to_wire
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx.tensors import dtype_of, to_array, to_tensor
from polyjuice.frameworks.onnx.versions import default_version, takes
from polyjuice.inputs import make_inputs
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes, packed, unpacked
from polyjuice.numerics import Analysis, Mode, analyse, judge
from polyjuice.ops import TABLE, GraphBuilder, check

INF, NAN = np.inf, np.nan

EDGE = Mode(edge=True)


def casts(dtype: str, *types: str, size: int) -> Graph:
    """Casts of an input from type to type."""
    build = GraphBuilder()
    y = build.input(TensorType(dtype, (size,)))
    for t in types:
        y = build.op("Cast", y, to=t)
    return build.build([y])


def cast(values: Sequence[float], dtype: str, *types: str, mode: Mode | None = None) -> tuple[list[float], Analysis]:
    """The interpreter's results as numbers, and the analysis."""
    graph = casts(dtype, *types, size=len(values))
    inputs = [np.array(values).astype(dtypes.to_numpy(dtype))]
    (array,) = evaluate(graph, inputs)
    return array.astype(np.float64).tolist(), analyse(graph, inputs, mode=mode or Mode())[0]


def every(dtype: str) -> np.ndarray:
    """Every value of a type of 8 or 4 bits."""
    count = 256 if dtype in dtypes.NARROW_FLOATS else 16
    return np.arange(count, dtype=np.uint8).view(dtypes.to_numpy(dtype))


CASES = [
    ("float8e4m3fn", [1.0625, 1.1875, -1.0625], [1.0, 1.25, -1.0], "ties to even"),
    ("float8e5m2", [1.125, 1.375, -1.125], [1.0, 1.5, -1.0], "ties to even"),
    ("float8e4m3fn", [448, 464, 465, 1e30, INF, -INF], [448, 448, 448, 448, 448, -448], "overflow saturates"),
    ("float8e5m2", [57344, 61439, 61440, 1e30, INF, -INF], [57344, 57344, INF, INF, INF, -INF], "overflow is infinite"),
    ("float8e4m3fn", [2.0**-9, 2.0**-10, 3 * 2.0**-10, 2.0**-11], [2.0**-9, 0, 2.0**-8, 0], "denormal numbers"),
    ("float8e5m2", [2.0**-16, 2.0**-17, 3 * 2.0**-17, 2.0**-18], [2.0**-16, 0, 2.0**-15, 0], "denormal numbers"),
    ("int4", [-8, 7, 0, 3], [-8, 7, 0, 3], "the ends"),
    ("uint4", [0, 15, 8], [0, 15, 8], "the ends"),
]


@pytest.mark.parametrize(("dtype", "values", "expected", "what"), CASES)
def test_what_a_cast_gives_is_known(dtype: str, values: list[float], expected: list[float], what: str) -> None:
    got, analysis = cast(values, "float32", dtype)
    assert got == expected, what
    assert not analysis.bound.any()
    assert analysis.reference.tolist() == expected


@pytest.mark.parametrize("dtype", dtypes.NARROW_FLOATS)
def test_nan_and_the_sign_of_zero_stay(dtype: str) -> None:
    got, analysis = cast([NAN, -0.0], "float32", dtype, "float32", mode=EDGE)
    assert np.isnan(got[0])
    assert np.signbit(got[1])
    assert analysis.bound[0] == 0
    assert np.isinf(cast([NAN], "float32", dtype)[1].bound).all()


@pytest.mark.parametrize(
    ("dtype", "values"),
    [("int4", [8, -9, 100]), ("uint4", [-1, 16]), ("int4", [0.5, -0.5, 1.7]), ("uint4", [-0.4, 2.5])],
)
def test_what_4_bits_do_not_hold_is_masked(dtype: str, values: list[float]) -> None:
    """Some compilers keep the lowest bits, others the nearest number. Some drop fractions, others round."""
    assert np.isinf(cast(values, "float32", dtype)[1].bound).all()


def test_integers_wrap_around_in_4_bits() -> None:
    got, analysis = cast([8, -9, 17], "int32", "int4", "int32", mode=Mode(wrap=True))
    assert got == [-8, 7, 1]
    assert not analysis.bound.any()


@pytest.mark.parametrize("dtype", dtypes.NARROW_FLOATS)
def test_a_compiler_that_rounds_a_float64_twice_is_right(dtype: str) -> None:
    half = {"float8e4m3fn": 2.0**-4, "float8e5m2": 2.0**-3}[dtype]
    above = np.array([1 + half + 2.0**-40])
    graph = casts("float64", dtype, "float64", size=1)
    analysis = analyse(graph, [above])[0]
    for result in (1.0, 1 + 2 * half):
        assert not judge(np.array([result]), analysis)
    assert judge(np.array([1 + 8 * half]), analysis)


def test_a_compiler_that_drops_casts_is_wrong() -> None:
    for dtype in dtypes.NARROW_FLOATS:
        graph, x = casts("float32", dtype, "float32", size=3), np.array([0.1, -1 / 3, 2], np.float32)
        analysis = analyse(graph, [x])[0]
        assert not judge(evaluate(graph, [x])[0], analysis)
        assert judge(x, analysis).wrong.tolist() == [True, True, False]


@pytest.mark.parametrize("dtype", dtypes.NARROW)
@pytest.mark.parametrize("wide", ["float16", "bfloat16", "float32", "float64"])
def test_every_value_survives_a_wider_type(dtype: str, wide: str) -> None:
    x = every(dtype)
    (back,) = evaluate(casts(dtype, wide, dtype, size=x.size), [x])
    np.testing.assert_array_equal(back.astype(np.float64), x.astype(np.float64))
    assert back.dtype == x.dtype


@pytest.mark.parametrize(("dtype", "bits"), [("float8e4m3fn", "uint8"), ("float8e5m2", "int8")])
def test_bits_can_be_seen_and_set(dtype: str, bits: str) -> None:
    build = GraphBuilder()
    y = build.op("BitCast", build.input(TensorType(dtype, (256,))), to=bits)
    graph = build.build([y, build.op("BitCast", y, to=dtype)])
    seen, back = evaluate(graph, [every(dtype)])
    assert seen.view(np.uint8).tolist() == list(range(256))
    assert back.view(np.uint8).tolist() == list(range(256))
    analysis = analyse(graph, [every(dtype)], mode=EDGE)[0]
    known = np.isfinite(analysis.bound)
    assert known.sum() == np.isfinite(every(dtype).astype(np.float32)).sum() - 2, "but for zeros"
    np.testing.assert_array_equal(seen[known], analysis.reference[known])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float8e4m3fn", [448, -448, 1.0, 0]),
        ("float8e5m2", [57344, -57344, 1.0, 0]),
        ("int4", [7, -8, 1, 0]),
        ("uint4", [15, 0, 1, 0]),
    ],
)
def test_a_quantization_saturates(dtype: str, expected: list[float]) -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (4,)))
    scale = build.constant(np.array(2, np.float32))
    zero = build.constant(np.array(0).astype(dtypes.to_numpy(dtype)))
    y = build.op("QuantizeLinear", x, scale, zero)
    graph = build.build([y, build.op("DequantizeLinear", y, scale, zero)])
    inputs = [np.array([1e6, -1e6, 2.06, 0.0], np.float32)]
    stored, back = evaluate(graph, inputs)
    assert stored.astype(np.float64).tolist() == expected
    assert back.tolist() == [2 * v for v in expected]
    for array, analysis in zip((stored, back), analyse(graph, inputs), strict=True):
        assert np.isfinite(analysis.bound).all()
        assert not judge(array, analysis)


@pytest.mark.parametrize("dtype", dtypes.NARROW)
def test_arrays_are_carried_and_stored(dtype: str) -> None:
    x = every(dtype)
    for back in (from_wire(to_wire(x)), unpacked(packed({"x": x}))["x"], to_array(to_tensor(x, "x"), "x")):
        assert back.dtype == x.dtype
        assert back.view(np.uint8).tolist() == x.view(np.uint8).tolist()
    odd = to_tensor(x[:3].reshape(3, 1), "x")
    assert to_array(odd, "x").view(np.uint8).tolist() == x[:3].view(np.uint8).reshape(3, 1).tolist()
    assert len(odd.raw_data) == (2 if dtype in dtypes.NARROW_INTS else 3)


@pytest.mark.parametrize("dtype", dtypes.NARROW)
def test_a_model_keeps_them(dtype: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (3,)))
    y = build.op("Cast", x, to=dtype)
    c = build.constant(every(dtype)[3:6])
    graph = check(build.build([y, build.op("Cast", c, to="float32")]))
    read = graph_files.from_model(graph_files.to_model(graph))
    assert [node.qualified for node in read.nodes] == ["Cast", "Cast"]
    assert read.output_types == graph.output_types
    values = [np.array([1, 2, 3], np.float32)]
    for a, b in zip(evaluate(graph, values), evaluate(read, values), strict=True):
        np.testing.assert_array_equal(a.astype(np.float64), b.astype(np.float64))


def test_a_cast_that_treats_overflow_in_another_way_is_not_taken_for_ours() -> None:
    graph = casts("float32", "float8e5m2", size=3)
    model = graph_files.to_model(graph)
    assert [a.i for a in model.graph.node[0].attribute if a.name == "saturate"] == [0]
    for attribute in model.graph.node[0].attribute:
        if attribute.name == "saturate":
            attribute.i = 1
    assert graph_files.from_model(model).nodes[0].opaque


@pytest.mark.parametrize("profile", ["normal", "exact", "wrap", "edge"])
@pytest.mark.parametrize("dtype", dtypes.NARROW)
def test_inputs_are_drawn(dtype: str, profile: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (64,)))
    graph = build.build([build.op("Cast", x, to="float32")])
    drawn = np.stack([make_inputs(graph, profile, seed)[0] for seed in range(5)])
    assert drawn.dtype == dtypes.to_numpy(dtype)
    wide = drawn.astype(np.float64)
    assert len(set(wide.ravel().tolist())) > 3
    assert profile == "edge" or np.isfinite(wide).all()


def test_no_operator_computes_in_them() -> None:
    """Operators that accept these types only cast or move values. Generic operators on floats or integers do not."""
    taking = {
        op.name for op in TABLE.values() if not {*dtypes.NARROW}.isdisjoint(t for v in op.types.values() for t in v)
    }
    moving = {op.name for op in TABLE.values() if op.moves}
    assert taking - moving == {"Cast", "BitCast", "QuantizeLinear", "DequantizeLinear", "Where"}
    assert {"Identity", "Transpose", "Reshape", "Concat", "Slice", "Gather"} <= taking


def test_rules_make_no_terms_that_compute_in_them() -> None:
    build = GraphBuilder()
    x, c = build.input(TensorType("float8e4m3fn", (4, 4))), build.input(TensorType("bool", (4, 4)))
    y = build.op("Transpose", build.op("Where", c, x, build.op("Identity", x)), perm=(1, 0))
    graph = build.build([build.op("Cast", y, to="float32"), y])
    rewriter = Rewriter(load())
    for seed in range(3):
        for variant in rewriter.rewrite(graph, seed).variants:
            check(variant.graph)
            assert variant.graph.output_types == graph.output_types


@pytest.mark.parametrize("format", ["torch", "tensorflow"])
def test_what_a_framework_lacks_is_said(format: str) -> None:
    with pytest.raises(Unlowerable, match="4 bits"):
        lower(casts("float32", "int4", size=3), format, 0)


def test_onnx_moves_some_of_them_alone() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("float8e5m2", (4,)))
    with pytest.raises(Unlowerable, match="no Concat of float8e5m2"):
        lower(build.build([build.op("Concat", x, x, axis=0)]), "onnx", 0)


def applications(model: ModelProto) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Each operator on operands, with functions inlined, and the element types of its operands and results."""
    graph = shape_inference.infer_shapes(inliner.inline_local_functions(model)).graph
    declared = [*graph.input, *graph.output, *graph.value_info]
    codes = {value.name: value.type.tensor_type.elem_type for value in declared}
    codes |= {tensor.name: tensor.data_type for tensor in graph.initializer}
    for node in graph.node:
        if node.input and codes.keys() >= {*filter(None, node.input), *node.output}:
            operands, results = (
                tuple(dtype_of(codes[n], n) for n in names if n) for names in (node.input, node.output)
            )
            yield node.op_type, operands, results


@pytest.mark.parametrize("dtype", dtypes.NARROW)
def test_onnx_has_the_operators_that_make_constants_of_narrow_types(dtype: str) -> None:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (2, 3)))
    scale = build.constant(np.full(3, 2, np.float32))
    zero = build.constant(np.zeros(3, dtypes.to_numpy(dtype)))
    graph = build.build([build.op("DequantizeLinear", x, scale, zero, axis=1)])
    seen = 0
    for seed in range(200):
        model = ModelProto.FromString(bytes(lower(graph, "onnx", seed).source))
        for op, operands, results in applications(model):
            if dtype in (*operands, *results):
                assert takes(op, operands, results, default_version(model)), f"{op} of {operands} at seed {seed}"
                seen += op != "DequantizeLinear"
    assert seen
