"""Torch source runs, and means the same as the graph, for all lowering choices and names."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, Node, TensorType, dtypes
from polyjuice.numerics import analyse
from polyjuice.ops import TABLE, GraphBuilder
from tests.support.applications import application, one_node
from tests.support.bounds import assert_within
from tests.support.frameworks import on_usual_types, run_torch
from tests.support.libraries import needs
from tests.support.shares import in_the_long_run

needs("torch")

SPELLINGS = 80


def assert_means(graph: Graph, inputs: Sequence[np.ndarray], seed: int | str) -> tuple[int, int]:
    """Check the types and error bounds of eager's results. Return the exact and bounded outputs."""
    artifact = lower(graph, "torch", seed)
    try:
        results = run_torch(artifact, inputs)
    except NotImplementedError:  # Torch has no such kernel; a worker would report unsupported
        return 0, 0
    except RuntimeError as error:
        if "not differentiable" in str(error) and artifact.setup.get("mode") == "grad":
            return 0, 0
        raise
    assert len(results) == len(graph.outputs)
    analyses = analyse(graph, inputs)
    for result, analysis, value in zip(results, analyses, evaluate(graph, inputs), strict=True):
        assert (dtypes.dtype_of(result), result.shape) == (analysis.type.dtype, value.shape)
    assert_within(results, analyses, f"{graph}\n{artifact.source}")
    exact = sum(analysis.reproducible for analysis in analyses)
    return exact, sum(analysis.comparable and not analysis.reproducible for analysis in analyses)


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


def source(graph: Graph, seed: int | str = 0) -> str:
    text = lower(graph, "torch", seed).source
    assert isinstance(text, str)
    return text


def sources(graph: Graph) -> set[str]:
    return {source(graph, seed) for seed in range(SPELLINGS)}


@pytest.mark.parametrize("part", [0, *in_the_long_run(1, 2)])
def test_the_source_of_a_generated_graph_means_the_graph(part: int) -> None:
    """Exact outputs are equal bit for bit, and the others lie within their bounds."""
    exact = bounded = ran = 0
    for number in range(part * 100, part * 100 + 100):
        graph = generate(3 + number % 10, f"torch {number}", on_usual_types)
        try:
            inputs = make_inputs(graph, "normal", number)
            evaluate(graph, inputs)
            source(graph)
        except (EvaluationError, Unlowerable):
            continue
        more_exact, more_bounded = assert_means(graph, inputs, number)
        exact, bounded, ran = exact + more_exact, bounded + more_bounded, ran + bool(more_exact or more_bounded)
    assert ran > 80
    assert bounded > 50
    assert exact > 0


@pytest.mark.parametrize("format", ["torch", "onnx"])
def test_equal_seeds_give_equal_programs(format: str) -> None:
    for number in range(20):
        graph = generate(8, f"text {number}", on_usual_types)
        try:
            a, b = lower(graph, format, number), lower(graph, format, number)
        except Unlowerable:
            continue
        assert (a.source, list(a.arrays), a.arguments, a.idioms) == (b.source, list(b.arrays), b.arguments, b.idioms)


def test_other_seeds_give_other_texts() -> None:
    build = GraphBuilder()
    x, y = build.input(float32(2, 3), "x"), build.input(float32(3), "y")
    graph = build.build([build.op("Relu", build.op("Add", x, y))])
    text = "\n".join(sources(graph))
    for written in (" + ", "torch.add(", ".add(", "torch.relu(", "F.relu(", ".relu()", "y.expand((2, 3))"):
        assert written in text


def test_what_is_left_of_a_graph_is_spelled_as_it_was() -> None:
    builder = GraphBuilder()
    results = [builder.op("Relu", builder.input(float32(3))) for _ in range(40)]
    graph = builder.build(results)
    fewer = replace(graph, nodes=graph.nodes[1::2], outputs=tuple(results[1::2]))
    for seed in range(10):
        before, after = ({line for line in source(g, seed).splitlines() if " = " in line} for g in (graph, fewer))
        assert len(after) >= 20
        assert after <= before


def test_a_uniform_constant_is_a_number_a_tensor_or_a_weight() -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "x")
    two = build.constant(np.full((2, 3), 2, np.float32), "two")
    graph = build.build([build.op("Mul", x, two)])
    text = "\n".join(sources(graph))
    for written in ("2.0", "torch.full((2, 3), 2.0", "self.w_two = arrays[", "register_buffer(", "torch.nn.Parameter("):
        assert written in text


_NAMES = "1 a.b a_b class self torch F arrays _ naïve a/b:0 None forward training __x"
AWKWARD = ["x y", *_NAMES.split()]


def test_awkward_names_work_as_inputs_values_and_constants() -> None:
    for offset in range(len(AWKWARD)):
        names = AWKWARD[offset:] + AWKWARD[:offset]
        build = GraphBuilder()
        x, y = build.input(float32(2), names[0]), build.input(float32(2), names[1])
        uniform = build.constant(np.full(2, 3, np.float32), names[2])
        weights = build.constant(np.array([1, 2], np.float32), names[3])
        parts = [
            build.op("Add", x, uniform, outputs=(names[4],)),
            build.op("Mul", y, weights, outputs=(names[5],)),
            build.op("Sub", x, y, outputs=(names[6],)),
            build.op("Max", uniform, weights, outputs=(names[7],)),
        ]
        graph = build.build([*parts, uniform, weights, x])
        inputs = [np.array([5, 6], np.float32), np.array([1, -1], np.float32)]
        for seed in range(2):
            assert_means(graph, inputs, seed)


def constants_as_outputs(arrays: Sequence[np.ndarray]) -> Graph:
    build = GraphBuilder()
    build.input(float32(1))
    return build.build([build.constant(array) for array in arrays])


@pytest.mark.parametrize(
    "array",
    [
        np.array(0.1, np.float64),
        np.full((2, 3), -0.0, np.float32),
        np.full(3, np.inf, np.float32),
        np.full((), -np.inf, np.float16),
        np.full(3, np.nan, np.float32),
        np.full(2, 2**53 + 1, np.int64),
        np.array(-(2**63), np.int64),
        np.array([True, False]),
        np.ones((2, 1), bool),
        np.full(3, 255, np.uint8),
        np.array([0.1, 3]).astype(ml_dtypes.bfloat16),
        np.full(2, 0.1).astype(ml_dtypes.bfloat16),
        np.array([65504, 0.1], np.float16),
        np.zeros((0, 2), np.float32),
    ],
    ids=lambda array: f"{array.dtype} {array.tolist()}",
)
def test_a_constant_comes_out_to_the_last_bit(array: np.ndarray) -> None:
    graph = constants_as_outputs([array])
    for seed in range(8):
        (result,) = run_torch(lower(graph, "torch", seed), [np.zeros(1, np.float32)])
        assert result.dtype == array.dtype
        assert result.shape == array.shape
        if not np.isnan(array.astype(np.float64)).any():
            assert result.tobytes() == array.tobytes()
        else:
            assert np.isnan(result).all()


def test_a_shared_constant_is_carried_once() -> None:
    build = GraphBuilder()
    x = build.input(float32(16))
    array = np.arange(16, dtype=np.float32) ** 2  # no program makes this array
    a, b = build.constant(array, "a"), build.constant(array.copy(), "b")
    graph = build.build([build.op("Add", build.op("Mul", x, a), build.op("Sub", a, b))])
    for seed in range(8):
        artifact = lower(graph, "torch", seed)
        assert len(artifact.arrays) == 1
        assert_means(graph, [np.arange(16, dtype=np.float32)], seed)


def test_a_number_beside_a_half_tensor_does_not_change_its_type() -> None:
    for dtype in ("float16", "bfloat16", "int8", "uint8"):
        build = GraphBuilder()
        x = build.input(TensorType(dtype, (3,)))
        three = build.constant(np.full(3, 3).astype(dtypes.to_numpy(dtype)))
        graph = build.build([build.op(op, x, three) for op in ("Add", "Sub", "Mul", "Div")])
        for seed in range(6):
            assert_means(graph, [np.array([7, 4, 3]).astype(dtypes.to_numpy(dtype))], seed)


def test_equal_bits_of_another_type_or_shape_are_carried_apart() -> None:
    values = np.arange(16, dtype=np.float32) ** 2
    arrays = [values, values.reshape(4, 4), values.view(np.int32)]
    artifact = lower(constants_as_outputs(arrays), "torch", 0)
    assert len(artifact.arrays) == 3
    for result, array in zip(run_torch(artifact, [np.zeros(1, np.float32)]), arrays, strict=True):
        np.testing.assert_array_equal(result, array)


def without_inputs() -> Graph:
    build = GraphBuilder()
    one = build.constant(np.ones((2,), np.float32))
    return build.build([build.op("Add", one, one)])


def split_once() -> Graph:
    """An unread output, and a split of one part."""
    build = GraphBuilder()
    node = Node("Split", (build.input(float32(4)),), ("", "rest"), {"axis": 0, "split": (1, 3)})
    build.append(node, [float32(1), float32(3)])
    (whole,) = build.multi("Split", "rest", axis=0, split=(3,))
    return build.build([build.op("Neg", whole)])


def infinite() -> Graph:
    build = GraphBuilder()
    return build.build([build.op("Add", build.input(float32(4)), build.constant(np.full(4, math.inf, np.float32)))])


@pytest.mark.parametrize("make", [without_inputs, split_once, infinite])
def test_an_unusual_graph_has_its_meaning(make: Callable[[], Graph]) -> None:
    graph = make()
    inputs = [np.arange(4, dtype=np.float32)][: len(graph.inputs)]
    for seed in range(12):
        assert_means(graph, inputs, seed)


def test_an_opaque_node_is_named_as_unlowerable() -> None:
    build = GraphBuilder()
    x = build.input(float32(2), "x")
    build.append(Node("Twist", (x,), ("y",), {}, "mine", opaque=True), [float32(2)])
    with pytest.raises(Unlowerable, match=r"y = mine\.Twist\(x\): mine\.Twist has no Torch text"):
        lower(build.build(["y"]), "torch", 0)


def test_all_that_takes_complex_numbers_in_torch_is_written_there() -> None:
    """A definition in operators that take none of them cannot be the text."""
    written = 0
    for op in TABLE.values():
        for seed in range(3 if "complex64" in op.torch_types else 0):
            try:
                operands, attrs = application(op, random.Random(seed), "complex64")
            except AssertionError:  # its entry draws none
                continue
            lower(one_node(op, operands, attrs), "torch", seed)
            written += 1
    assert written > 150
