"""Element types: casts, the narrow types in which nothing is computed, and the wider unsigned integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import pytest
from onnx import ModelProto, inliner, shape_inference

from polyjuice import compilers
from polyjuice.egraph import Rewriter, load
from polyjuice.execution import _wire, protocol
from polyjuice.execution.protocol import from_wire, to_wire
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.frameworks.onnx.tensors import dtype_of, to_array, to_tensor
from polyjuice.frameworks.onnx.versions import default_version, takes
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs, mode
from polyjuice.inputs.magnitudes import largest
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes, packed, unpacked
from polyjuice.numerics import Analysis, Mode, analyse, judge
from polyjuice.ops import TABLE, check, sampling
from tests.support.bounds import masked
from tests.support.graphs import apply, graph

X = np.array([0.1, -1 / 3, 1e-3, 2.0, 0.0])


def casts(dtype: str, *types: str, size: int = 5, products: int = 0) -> Graph:
    """Casts of an input, or of its product with itself, from type to type."""
    body = "x = Mul(x, x); " * products + "".join(f"x = Cast(x, to='{t}'); " for t in types)
    return graph(f"{dtype}[{size}] x", body + "x")


def analysed(graph: Graph, x: np.ndarray, mode: Mode | None = None) -> Analysis:
    return analyse(graph, [x], mode=mode or Mode())[0]


@pytest.mark.parametrize(("wide", "narrow"), [("float64", "float32"), ("float32", "float16"), ("float32", "bfloat16")])
def test_a_cast_that_a_compiler_drops_is_wrong(wide: str, narrow: str) -> None:
    graph, x = casts(wide, narrow, wide), X.astype(wide)
    analysis = analysed(graph, x)
    assert not judge(evaluate(graph, [x])[0], analysis)
    assert judge(x, analysis).wrong.tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("profile", ["normal", "wrap", "edge"])
@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("Identity(x)", [True, True, False, True]),
        ("Add(x, x)", [True, False, False, True]),
        ("Greater(x, Add(x, x))", [True, False, False, True]),
        ("Cast(x, to='float32')", [True, True, False, True]),
        ("ReduceSum(x, axes=[0], keepdims=1)", [False]),
        ("aten.bitwise_and.Scalar(x, other='2147483649')", [False] * 4),
    ],
)
def test_of_a_type_that_a_compiler_narrows_only_numbers_within_int32_are_known(
    profile: str, body: str, known: list[bool]
) -> None:
    x = np.array([3, 2**31 - 1, -(2**31) - 1, -7])
    narrowed = mode(profile, "onnx", narrowed=compilers.find("openvino").narrowed)
    analysis = analysed(graph("int64[4] x", body), x, narrowed)
    assert masked(analysis) == [not one for one in known]


def test_a_compiler_may_leave_out_casts_to_the_types_that_it_documents() -> None:
    graph, x = casts("float32", "float16", "float32"), X.astype(np.float32)
    info = compilers.find("inductor")
    assert set(info.excess_precision) == {"float16", "bfloat16"}
    analysis = analysed(graph, x, mode("normal", info.format, info.excess_precision))
    assert not judge(evaluate(graph, [x])[0], analysis)
    assert not judge(x, analysis)
    dropped = casts("float64", "float32", "float64")
    assert judge(X, analysed(dropped, X, mode("normal", info.format, info.excess_precision)))


def test_errors_of_the_operand_reach_the_next_number_only_near_a_tie() -> None:
    graph = casts("float32", "float16", products=1)
    analysis = analysed(graph, np.array([0.1, 1.0, 3.0, 0.7, 1.00024414], np.float32))
    spacing = np.spacing(np.abs(analysis.reference).astype(np.float16)).astype(float)
    assert analysis.bound[:4].max() < 1e-4 * spacing[:4].min() + 2 * 2.0**-14
    near_a_tie = np.array([1 + 2.0**-11 + 2.0**-24] * 5, np.float32) ** 0.5
    assert analysed(graph, near_a_tie.astype(np.float32)).bound.max() >= 2.0**-10


def test_integers_beyond_a_type_are_rounded_exactly() -> None:
    x = np.array([2**30 + 1, -(2**29) - 3, 5, 0, 2**24 + 1], np.float64)
    analysis = analysed(casts("float64", "float32", "float64"), x)
    assert analysis.reproducible
    assert analysis.reference.tolist() == x.astype(np.float32).astype(float).tolist()
    assert not analysis.bound.any()


def test_what_frameworks_round_twice_is_not_exact() -> None:
    """To float16 through float32: 2049 + 2^-20 is a tie in float32 and rounded down. In float64 it is above the tie."""
    x = np.array([2049 + 2.0**-20, 1.0, 2.0, 3.0, 4.0])
    analysis = analysed(casts("float64", "float16"), x)
    assert analysis.bound[0] >= 2
    assert not analysis.bound[1:].any()


def test_what_overflows_is_unknown_and_infinity_stays() -> None:
    analysis = analysed(casts("float32", "float16"), np.array([1e6, np.inf, 1.0, 65504.0, -np.inf], np.float32))
    assert np.isinf(analysis.bound).tolist() == [True, False, False, False, False]


INF, NAN = np.inf, np.nan

EDGE = Mode(edge=True)


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
    made = graph(f"{dtype}[256] x", f"y = BitCast(x, to='{bits}'); y, BitCast(y, to='{dtype}')")
    seen, back = evaluate(made, [every(dtype)])
    assert seen.view(np.uint8).tolist() == back.view(np.uint8).tolist() == list(range(256))
    analysis = analyse(made, [every(dtype)], mode=EDGE)[0]
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
    body = "y = QuantizeLinear(x, scale, zero); y, DequantizeLinear(y, scale, zero)"
    zero = np.array(0).astype(dtypes.to_numpy(dtype))
    made = graph("float32[4] x", body, scale=np.float32(2), zero=zero)
    inputs = [np.array([1e6, -1e6, 2.06, 0.0], np.float32)]
    stored, back = evaluate(made, inputs)
    assert stored.astype(np.float64).tolist() == expected
    assert back.tolist() == [2 * v for v in expected]
    for array, analysis in zip((stored, back), analyse(made, inputs), strict=True):
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
    made = graph("float32[3] x", f"Cast(x, to='{dtype}'), Cast(c, to='float32')", c=every(dtype)[3:6])
    read = from_model(to_model(made))
    assert [node.qualified for node in read.nodes] == ["Cast", "Cast"]
    assert read.output_types == made.output_types
    values = [np.array([1, 2, 3], np.float32)]
    for a, b in zip(evaluate(made, values), evaluate(read, values), strict=True):
        np.testing.assert_array_equal(a.astype(np.float64), b.astype(np.float64))


def test_a_cast_that_treats_overflow_in_another_way_is_not_taken_for_ours() -> None:
    graph = casts("float32", "float8e5m2", size=3)
    model = to_model(graph)
    assert [a.i for a in model.graph.node[0].attribute if a.name == "saturate"] == [0]
    for attribute in model.graph.node[0].attribute:
        if attribute.name == "saturate":
            attribute.i = 1
    assert from_model(model).nodes[0].opaque


@pytest.mark.parametrize("profile", ["normal", "exact", "wrap", "edge"])
@pytest.mark.parametrize("dtype", dtypes.NARROW)
def test_inputs_are_drawn(dtype: str, profile: str) -> None:
    drawn = np.stack([make_inputs(casts(dtype, "float32", size=64), profile, seed)[0] for seed in range(5)])
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
    body = "y = Transpose(Where(c, x, Identity(x)), perm=(1, 0)); Cast(y, to='float32'), y"
    made = graph("float8e4m3fn[4,4] x; bool[4,4] c", body)
    rewriter = Rewriter(load())
    for seed in range(3):
        for variant in rewriter.rewrite(made, seed).variants:
            check(variant.graph)
            assert variant.graph.output_types == made.output_types


@pytest.mark.parametrize("format", ["torch", "tensorflow"])
def test_what_a_framework_lacks_is_said(format: str) -> None:
    with pytest.raises(Unlowerable, match="4 bits"):
        lower(casts("float32", "int4", size=3), format, 0)


def test_onnx_moves_some_of_them_alone() -> None:
    with pytest.raises(Unlowerable, match="no Concat of float8e5m2"):
        lower(apply("Concat", "float8e5m2[4]", "float8e5m2[4]", axis=0), "onnx", 0)


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
    zero = np.zeros(3, dtypes.to_numpy(dtype))
    scale = np.full(3, 2, np.float32)
    made = graph(f"{dtype}[2,3] x", "DequantizeLinear(x, scale, zero, axis=1)", scale=scale, zero=zero)
    seen = 0
    for seed in range(200):
        model = ModelProto.FromString(bytes(lower(made, "onnx", seed).source))
        for op, operands, results in applications(model):
            if dtype in (*operands, *results):
                assert takes(op, operands, results, default_version(model)), f"{op} of {operands} at seed {seed}"
                seen += op != "DequantizeLinear"
    assert seen


TYPES = dtypes.WIDER_UNSIGNED
WRAP = Mode(wrap=True)

HALF, END = 2**63, 2**64


def applied(op: str, dtype: str, *operands: list[int], **attrs: object) -> tuple[Graph, list[np.ndarray]]:
    """A graph of one operator, and its inputs."""
    arrays = [np.array(operand, dtypes.to_numpy(dtype)) for operand in operands]
    return apply(op, *(TensorType(dtype, array.shape) for array in arrays), **attrs), arrays


def analysis_of(op: str, dtype: str, *operands: list[int], mode: Mode = WRAP, **attrs: object) -> Analysis:
    graph, arrays = applied(op, dtype, *operands, **attrs)
    return analyse(graph, arrays, mode=mode)[0]


@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic_wraps_around(dtype: str) -> None:
    end = dtypes.exact_integers(dtype)[1]
    for op, x, y, expected in (("Add", end, 1, 0), ("Sub", 0, 1, end), ("Mul", end, end, 1)):
        analysis = analysis_of(op, dtype, [x], [y])
        assert analysis.reference.tolist() == [expected]
        assert masked(analysis) == [False]
        assert masked(analysis_of(op, dtype, [x], [y], mode=Mode())) == [True]


@pytest.mark.parametrize(
    ("op", "x", "y", "known"),
    [
        ("Add", HALF, HALF - 1, True),
        ("Add", HALF, HALF, False),
        ("Sub", HALF + 5, HALF, True),
        ("Sub", HALF, HALF + 5, False),  # the difference is 0 in float64
        ("Mul", 2**32, 2**31, True),
        ("Mul", 2**32, 2**32, False),
        ("Max", END - 1, 1, True),
    ],
)
def test_float64_hides_no_overflow_of_64_bits(op: str, x: int, y: int, known: bool) -> None:
    analysis = analysis_of(op, "uint64", [x], [y], mode=Mode())
    assert masked(analysis) == [not known]
    assert known or not analysis.reproducible


@pytest.mark.parametrize(
    ("op", "x", "y", "expected", "attrs"),
    [
        ("Div", [END - 1], [2], [HALF - 1], {}),
        ("Mod", [END - 1], [10], [5], {}),
        ("Max", [HALF], [HALF + 1], [HALF + 1], {}),
        ("Min", [END - 1], [HALF], [HALF], {}),
        ("Less", [HALF - 1], [HALF], [True], {}),
        ("Greater", [END - 1], [END - 2], [True], {}),
        ("Equal", [END - 1], [END - 2], [False], {}),
        ("BitwiseAnd", [END - 1], [HALF + 1], [HALF + 1], {}),
        ("BitwiseXor", [END - 1], [HALF], [HALF - 1], {}),
        ("BitShift", [1], [63], [HALF], {"direction": "LEFT"}),
        ("BitShift", [END - 1], [63], [1], {"direction": "RIGHT"}),
        ("Concat", [END - 1], [HALF], [END - 1, HALF], {"axis": 0}),
    ],
)
def test_the_upper_half_of_uint64_is_exact(
    op: str, x: list[int], y: list[int], expected: list[int], attrs: dict[str, object]
) -> None:
    graph, arrays = applied(op, "uint64", x, y, **attrs)
    assert evaluate(graph, arrays)[0].tolist() == expected
    assert analyse(graph, arrays, mode=WRAP)[0].reference.tolist() == expected


def test_the_place_of_the_greatest_beyond_int64() -> None:
    values = [HALF, END - 1, 1, END - 2]
    assert analysis_of("ArgMax", "uint64", values, axis=0, keepdims=0).reference.tolist() == 1
    assert analysis_of("ReduceMax", "uint64", values, axes=(0,), keepdims=0).reference.tolist() == END - 1
    assert analysis_of("ReduceMin", "uint64", values, axes=(0,), keepdims=0).reference.tolist() == 1


def test_sums_of_uint64_are_known_where_float64_holds_them() -> None:
    for values, known in (([2**52, 2**51], True), ([HALF, 5], False)):
        assert masked(analysis_of("ReduceSum", "uint64", values, axes=(0,), keepdims=1, mode=Mode())) == [not known]


def test_a_shift_by_all_bits_is_masked() -> None:
    for dtype in TYPES:
        bits = 8 * dtypes.to_numpy(dtype).itemsize
        found = analysis_of("BitShift", dtype, [1, 1], [bits - 1, bits], direction="LEFT")
        assert masked(found) == [False, True]
        assert found.reference[0] == 2 ** (bits - 1)


@pytest.mark.parametrize(
    ("source", "values", "to", "expected"),
    [
        ("int32", [-1, 5, -(2**31)], "uint32", [2**32 - 1, 5, 2**31]),
        ("int64", [-1], "uint16", [2**16 - 1]),
        ("int8", [-1], "uint64", [END - 1]),
        ("uint32", [2**32 - 1], "int64", [2**32 - 1]),
        ("uint64", [END - 1, HALF], "int64", [-1, -HALF]),
        ("uint64", [END - 1], "uint32", [2**32 - 1]),
        ("uint64", [HALF, 0], "bool", [True, False]),
        ("uint64", [HALF], "float32", [2.0**63]),
    ],
)
def test_casts_of_integers_are_those_modulo_a_power_of_two(
    source: str, values: list[int], to: str, expected: list[int]
) -> None:
    analysis = analysis_of("Cast", source, values, to=to)
    assert analysis.reference.tolist() == expected
    assert not any(masked(analysis))


@pytest.mark.parametrize("dtype", TYPES)
def test_a_cast_of_a_float_that_the_type_lacks_is_masked(dtype: str) -> None:
    end = float(dtypes.exact_integers(dtype)[1] + 1)
    values = np.array([-1.0, -0.5, 2.5, end, np.nan, np.nextafter(end, 0.0)])
    for one in (Mode(), WRAP):
        (analysis,) = analyse(casts("float64", dtype, size=6), [values], mode=one)
        assert masked(analysis) == [True, False, False, True, True, False]


def test_numbers_next_to_each_other_are_told_apart_where_float64_has_one_for_both() -> None:
    analysis = analysis_of("Identity", "uint64", [END - 1, HALF])
    assert judge(np.array([END - 2, HALF], np.uint64), analysis).wrong.tolist() == [True, False]


@pytest.mark.parametrize("dtype", TYPES)
def test_values_come_back_from_the_wire_and_from_onnx(dtype: str) -> None:
    array = np.array([0, 1, dtypes.exact_integers(dtype)[1]], dtypes.to_numpy(dtype))
    read = from_model(to_model(graph(f"{dtype}[3] x", "BitwiseXor(x, array)", array=array)))
    (constant,) = read.constants.values()
    assert read.input_types == (TensorType(dtype, (3,)),)
    for found in (constant, protocol.from_wire(_wire.checked([protocol.to_wire(array)])[0])):
        assert found.dtype == array.dtype
        assert found.tolist() == array.tolist()


@pytest.mark.parametrize("dtype", TYPES)
def test_profiles_reach_the_end_of_the_type(dtype: str) -> None:
    made = apply("Identity", f"{dtype}[64]")
    high = dtypes.exact_integers(dtype)[1]
    found = np.concatenate([make_inputs(made, "wrap", seed)[0] for seed in range(20)])
    assert {0, high} <= set(found.tolist())
    (exact,) = make_inputs(made, "exact", 3, large=True, distribution="mixed")
    assert high // 2 < exact.max() <= largest(dtype)
    assert max(make_inputs(made, "normal", 0)[0].tolist()) <= 5


def test_they_count_as_one_where_a_type_is_drawn() -> None:
    drawn = Counter(sampling.element_type(Random(seed), dtypes.ALL) for seed in range(5000))
    share = sum(drawn[t] for t in TYPES) / drawn["int32"]
    assert set(TYPES) <= set(drawn)
    assert 0.6 < share < 1.6


def test_generated_graphs_have_them_and_have_values_on_all_profiles() -> None:
    seen: Counter[str] = Counter()
    for seed in range(150):
        graph = generate(6, f"unsigned {seed}")
        held = {t.dtype for t in graph.types.values()}.intersection(TYPES)
        if held:
            inputs = make_inputs(graph, "exact", seed)
            for array, t in zip(evaluate(graph, inputs), graph.output_types, strict=True):
                assert dtypes.dtype_of(array) == t.dtype
        seen.update(held)
    assert set(seen) == set(TYPES)


def rewritten(graph: Graph, rule: str) -> set[tuple[str, ...]]:
    variants = Rewriter(load(only=[rule])).rewrite(graph, 1, "random", 8).variants
    return {tuple(node.qualified for node in variant.graph.nodes) for variant in variants}


@pytest.mark.parametrize("dtype", dtypes.UNSIGNED)
def test_rules_know_that_no_element_is_negative(dtype: str) -> None:
    graph, _ = applied("Abs", dtype, [1, 2])
    assert () in rewritten(graph, "abs-of-nonnegative")


@pytest.mark.parametrize("dtype", dtypes.UNSIGNED)
def test_the_two_left_shifts_are_one_of_all_unsigned_types(dtype: str) -> None:
    graph, _ = applied("BitShift", dtype, [1, 2], [3, 4], direction="LEFT")
    assert ("aten.bitwise_left_shift",) in rewritten(graph, "bit-shift-left")
