"""The unsigned element types of 16, 32 and 64 bits: arithmetic modulo 2^n, also beyond the range of int64."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from polyjuice.egraph import Rewriter, load
from polyjuice.execution import _wire, protocol
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.inputs.magnitudes import largest
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import Analysis, Mode, analyse, judge
from polyjuice.ops import GraphBuilder, sampling
from tests.support.bounds import masked

TYPES = dtypes.WIDER_UNSIGNED
WRAP = Mode(wrap=True)

HALF, END = 2**63, 2**64


def applied(op: str, dtype: str, *operands: list[int], **attrs: object) -> tuple[Graph, list[np.ndarray]]:
    """A graph of one operator, and its inputs."""
    build = GraphBuilder()
    arrays = [np.array(operand, dtypes.to_numpy(dtype)) for operand in operands]
    names = [build.input(TensorType(dtype, array.shape)) for array in arrays]
    domain = "aten" if op[0].islower() else ""
    return build.build(build.multi(op, *names, domain=domain, **attrs)), arrays


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
    build = GraphBuilder()
    x = build.input(TensorType("float64", (6,)))
    graph = build.build([build.op("Cast", x, to=dtype)])
    values = np.array([-1.0, -0.5, 2.5, end, np.nan, np.nextafter(end, 0.0)])
    for mode in (Mode(), WRAP):
        assert masked(analyse(graph, [values], mode=mode)[0]) == [True, False, False, True, True, False]


def test_numbers_next_to_each_other_are_told_apart_where_float64_has_one_for_both() -> None:
    analysis = analysis_of("Identity", "uint64", [END - 1, HALF])
    assert judge(np.array([END - 2, HALF], np.uint64), analysis).wrong.tolist() == [True, False]


@pytest.mark.parametrize("dtype", TYPES)
def test_values_come_back_from_the_wire_and_from_onnx(dtype: str) -> None:
    array = np.array([0, 1, dtypes.exact_integers(dtype)[1]], dtypes.to_numpy(dtype))
    build = GraphBuilder()
    x = build.input(TensorType(dtype, (3,)))
    read = from_model(to_model(build.build([build.op("BitwiseXor", x, build.constant(array))])))
    (constant,) = read.constants.values()
    assert read.input_types == (TensorType(dtype, (3,)),)
    for found in (constant, protocol.from_wire(_wire.checked([protocol.to_wire(array)])[0])):
        assert found.dtype == array.dtype
        assert found.tolist() == array.tolist()


@pytest.mark.parametrize("dtype", TYPES)
def test_profiles_reach_the_end_of_the_type(dtype: str) -> None:
    build = GraphBuilder()
    graph = build.build([build.op("Identity", build.input(TensorType(dtype, (64,))))])
    high = dtypes.exact_integers(dtype)[1]
    found = np.concatenate([make_inputs(graph, "wrap", seed)[0] for seed in range(20)])
    assert {0, high} <= set(found.tolist())
    (exact,) = make_inputs(graph, "exact", 3, large=True, distribution="mixed")
    assert high // 2 < exact.max() <= largest(dtype)
    assert max(make_inputs(graph, "normal", 0)[0].tolist()) <= 5


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
