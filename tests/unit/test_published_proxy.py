"""The conditions of published bugs hold for the entry's trigger, and not for near misses. No compiler runs.

Triggers in Torch are in tests/frameworks/test_published_conditions.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, numpy_helper

from polyjuice import user_models
from polyjuice.execution import Artifact
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops.build import GraphBuilder

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.published import proxy
from benchmarks.published.conditions import CONDITIONS, Condition
from benchmarks.published.entry import Entry, load_trigger, read_all
from benchmarks.published.program import Program

OPEN = [entry for entry in read_all() if entry.half == "open"]
IN_ONNX = [entry for entry in OPEN if entry.format != "torch"]

OF_VALUES = [
    "onnxruntime/max_of_half_and_nan",
    "onnxruntime/quantize_half",
    "onnxruntime/reduce_log_sum_exp_of_infinities",
    "tvm/one_hot_negative_index",
    "tvm/relu_of_nan",
    "xla/log_of_pow",
    "xla/reduce_max_of_nan",
]
"""Conditions that depend on the inputs' values. Inputs of ones never meet them."""


def occurs(key: str, program: Program) -> bool:
    return CONDITIONS[key].occurs(program)


def of_model(model: ModelProto, inputs: dict[str, np.ndarray]) -> Program:
    user = user_models.from_model(model)
    return Program(user.graph, lambda: [[inputs[name] for name in user.graph.inputs]], lambda: user.artifact)


def of_graph(graph: Graph, *inputs: np.ndarray, artifact: Artifact | None = None) -> Program:
    return Program(graph, lambda: [inputs], lambda: artifact)


def test_each_open_entry_has_conditions_and_no_other() -> None:
    assert set(CONDITIONS) == {entry.key for entry in OPEN}


@pytest.mark.parametrize("entry", IN_ONNX, ids=lambda entry: entry.key)
def test_a_trigger_meets_its_conditions(entry: Entry) -> None:
    trigger = load_trigger(entry.path)
    assert occurs(entry.key, of_model(trigger.model(), trigger.inputs()))


@pytest.mark.parametrize("key", OF_VALUES)
def test_a_trigger_on_ones_does_not(key: str) -> None:
    (entry,) = (entry for entry in OPEN if entry.key == key)
    trigger = load_trigger(entry.path)
    ones = {name: np.ones_like(array) for name, array in trigger.inputs().items()}
    assert not occurs(key, of_model(trigger.model(), ones))


@pytest.mark.parametrize("key", CONDITIONS)
def test_a_trivial_program_does_not(key: str) -> None:
    b = GraphBuilder()
    graph = b.build([b.op("Neg", b.input(TensorType("float32", (2, 3))))])
    assert not occurs(key, of_graph(graph, np.ones((2, 3), np.float32)))


# --- models that are nearly a trigger --------------------------------------------------------------------------------


def attribute(name: str, value: object) -> Callable[[ModelProto], None]:
    """The model with another value for an attribute of the last node, or without it (None)."""

    def change(model: ModelProto) -> None:
        node = model.graph.node[-1]
        others = [a for a in node.attribute if a.name != name]
        del node.attribute[:]
        node.attribute.extend(others + ([] if value is None else [onnx.helper.make_attribute(name, value)]))
        del model.graph.output[0].type.tensor_type.shape.dim[:]

    return change


def constant(name: str, array: np.ndarray) -> Callable[[ModelProto], None]:
    def change(model: ModelProto) -> None:
        (tensor,) = (t for t in model.graph.initializer if t.name == name)
        tensor.CopyFrom(numpy_helper.from_array(array, name))

    return change


def opset(version: int) -> Callable[[ModelProto], None]:
    def change(model: ModelProto) -> None:
        model.opset_import[0].version = version

    return change


NEARLY = [
    ("onnxruntime/average_pool_end_padding", opset(18)),
    ("onnxruntime/average_pool_end_padding", attribute("count_include_pad", 0)),
    ("onnxruntime/average_pool_end_padding", attribute("pads", [2, 0, 0, 0])),
    ("onnxruntime/average_pool_end_padding", attribute("strides", [3, 1])),
    ("onnxruntime/quantized_conv_bias_scale", constant("half", np.float32(1))),
    ("onnxruntime/resize_nearest_tie", attribute("nearest_mode", "floor")),
    ("onnxruntime/resize_nearest_tie", constant("sizes", np.int64([1, 1, 1, 10]))),
    ("onnxruntime/resize_nearest_tie", constant("sizes", np.int64([1, 1, 1, 16]))),
    ("tvm/conv_transpose_output_shape", attribute("output_shape", None)),
    ("tvm/squeeze_attribute_axes", attribute("axes", [0, 2])),
    ("xla/resize_bilinear", constant("scales", np.float32([1, 1, 2, 2]))),
    ("xla/resize_bilinear", attribute("mode", "nearest")),
]


@pytest.mark.parametrize(("key", "change"), NEARLY)
def test_a_model_near_a_trigger_does_not(key: str, change: Callable[[ModelProto], None]) -> None:
    (entry,) = (entry for entry in OPEN if entry.key == key)
    trigger = load_trigger(entry.path)
    model = trigger.model()
    change(model)
    assert not occurs(key, of_model(model, trigger.inputs()))


# --- graphs that meet conditions, or nearly do -----------------------------------------------------------------------


def made(dtype: str, shape: Sequence[int], build: Callable[[GraphBuilder, str], str]) -> Graph:
    """A graph of one input."""
    b = GraphBuilder()
    return b.build([build(b, b.input(TensorType(dtype, tuple(shape))))])


def aten(b: GraphBuilder, op: str, *inputs: str, **attrs: object) -> str:
    return b.op(op, *inputs, domain="aten", **attrs)


def of_transposed(b: GraphBuilder, x: str) -> str:
    return aten(b, "argmax", b.op("Transpose", x, perm=(1, 0)))


def of_transposed_and(op: str) -> Callable[[GraphBuilder, str], str]:
    return lambda b, x: aten(b, "argmax", b.op(op, b.op("Transpose", x, perm=(1, 0))))


def of_transposed_plus_another(b: GraphBuilder, x: str) -> str:
    other = b.input(TensorType("float32", b.types[x].shape[::-1]))
    return aten(b, "argmax", b.op("Add", b.op("Transpose", x, perm=(1, 0)), other))


def plus_row(b: GraphBuilder, x: str) -> str:
    return b.op("Add", x, b.constant(np.float32([1, 2, 3])))


def columns(b: GraphBuilder, x: str) -> str:
    return b.op("Slice", x, starts=(0,), ends=(2,), axes=(1,), steps=(1,))


def rows(b: GraphBuilder, x: str) -> str:
    return b.op("Slice", x, starts=(0,), ends=(2,), axes=(0,), steps=(1,))


def attention(perm: Sequence[int]) -> Callable[[GraphBuilder, str], str]:
    def build(b: GraphBuilder, x: str) -> str:
        scores = b.op("MatMul", x, b.op("Transpose", x, perm=tuple(perm)))
        weights = b.op("Softmax", b.op("Mul", scores, b.constant(np.array(0.5, np.float32))), axis=3)
        return b.op("MatMul", weights, x)

    return build


def plus_zero(zero: float, then: str) -> Callable[[GraphBuilder, str], str]:
    return lambda b, x: b.op(then, b.op("Add", x, b.constant(np.float32([zero]))))


def shifted_by(amount: int) -> Callable[[GraphBuilder, str], str]:
    return lambda b, x: aten(b, "bitwise_left_shift", x, b.constant(np.int64([amount])))


def divided_by(number: float) -> Callable[[GraphBuilder, str], str]:
    return lambda b, x: aten(b, "floor_divide", x, b.constant(np.float32([number])))


def scattered(axis: int) -> Callable[[GraphBuilder, str], str]:
    def build(b: GraphBuilder, x: str) -> str:
        indices, updates = b.constant(np.int64([[0, 0, 0]])), b.constant(np.ones((1, 3), np.float32))
        return b.op("ScatterElements", x, indices, updates, axis=axis)

    return build


ZEROS = np.float32([-0.0, 0.0, 1.0])
NUMBERS = np.float32([[1, 2, 3], [4, 5, 6]])
LONG = np.arange(1, 17, dtype=np.uint8).reshape(2, 8)

GRAPHS = [
    ("inductor/argmax_of_nan", lambda b, x: b.op("ArgMin", x), NUMBERS * np.float32(np.nan), True),
    ("inductor/argmax_of_nan", lambda b, x: b.op("ArgMin", x), NUMBERS, False),
    ("inductor/argmax_of_transposed", of_transposed, NUMBERS, True),
    ("inductor/argmax_of_transposed", lambda b, x: of_transposed(b, b.op("Sin", x)), NUMBERS, True),
    ("inductor/argmax_of_transposed", of_transposed_and("Sin"), NUMBERS, True),
    ("inductor/argmax_of_transposed", of_transposed_plus_another, NUMBERS, False),
    ("inductor/argmax_of_transposed", of_transposed, NUMBERS[:1], False),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", columns(b, x)), NUMBERS, True),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", b.op("Exp", columns(b, x))), NUMBERS, True),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", aten(b, "flip", x, dims=(0,))), NUMBERS, True),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", plus_row(b, x)), NUMBERS, True),
    ("inductor/argmax_of_two_axes", of_transposed_plus_another, NUMBERS, True),
    ("inductor/argmax_of_two_axes", of_transposed, NUMBERS, False),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", rows(b, x)), NUMBERS.T, False),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", columns(b, x)), NUMBERS[:1], False),
    ("inductor/argmax_of_two_axes", lambda b, x: aten(b, "argmin", plus_row(b, x)), NUMBERS[:1], False),
    ("inductor/attention_of_permuted_key", attention((0, 2, 3, 1)), np.ones((1, 4, 4, 4), np.float32), True),
    ("inductor/attention_of_permuted_key", attention((0, 1, 3, 2)), np.ones((1, 4, 4, 4), np.float32), False),
    ("inductor/floor_division_rounds_up", divided_by(0.1), np.float32([1]), True),
    ("inductor/floor_division_rounds_up", divided_by(0.1), np.float32([0.75, np.inf, np.nan]), False),
    ("inductor/frac_of_negative_zero", lambda b, x: b.op("Reciprocal", aten(b, "frac", x)), ZEROS, True),
    ("inductor/frac_of_negative_zero", lambda b, x: b.op("Reciprocal", aten(b, "frac", x)), ZEROS + 1, False),
    ("inductor/frac_of_negative_zero", lambda b, x: b.op("Abs", aten(b, "frac", x)), ZEROS, False),
    ("inductor/negative_zero_plus_zero", plus_zero(0.0, "Reciprocal"), ZEROS, True),
    ("inductor/negative_zero_plus_zero", plus_zero(-0.0, "Reciprocal"), ZEROS, False),
    ("inductor/negative_zero_plus_zero", plus_zero(0.0, "Abs"), ZEROS, False),
    ("inductor/negative_zero_plus_zero", plus_zero(0.0, "Reciprocal"), ZEROS + 1, False),
    ("inductor/shift_left_by_64", shifted_by(64), np.int64([1]), True),
    ("inductor/shift_left_by_64", shifted_by(63), np.int64([1]), False),
    ("inductor/uint8_minimum", lambda b, x: b.op("ReduceMin", x, axes=(1,)), LONG, True),
    ("inductor/uint8_minimum", lambda b, x: aten(b, "min", x, dim=-1), LONG, True),
    ("inductor/uint8_minimum", lambda b, x: b.op("ReduceMin", x, axes=(0,)), LONG, False),
    ("inductor/uint8_minimum", lambda b, x: b.op("ReduceMin", x, axes=(1,)), LONG[:, :7], False),
    ("inductor/uint8_minimum", lambda b, x: b.op("ReduceMin", x, axes=(1,)), LONG * np.uint8(0), False),
    ("inductor/uint8_minimum", lambda b, x: b.op("ReduceMin", x, axes=(1,)), LONG.astype(np.int8), False),
    ("onnxruntime/max_of_half_and_nan", lambda b, x: b.op("Max", x, x), NUMBERS * np.float16(np.nan), False),
    ("tvm/min_of_constants", lambda b, x: b.op("Min", x, b.constant(NUMBERS)), NUMBERS, False),
    ("tvm/scatter_elements_narrow_indices", scattered(1), NUMBERS, True),
    ("tvm/scatter_elements_narrow_indices", scattered(0), NUMBERS, False),
    ("xla/log_of_pow", lambda b, x: b.op("Log", b.op("Pow", x, x)), np.float32([2, -2]), False),
]


@pytest.mark.parametrize(("key", "build", "array", "met"), GRAPHS)
def test_conditions_tell_graphs_apart(
    key: str, build: Callable[[GraphBuilder, str], str], array: np.ndarray, met: bool
) -> None:
    graph = made(dtypes.of_array(array), array.shape, build)
    assert occurs(key, of_graph(graph, array)) == met


@pytest.mark.parametrize(
    ("step", "source", "met"), [(10**9, "arange(", True), (10**9, "x", False), (1, "arange(", False)]
)
def test_an_arange_counts_that_is_long_and_written_as_one(step: int, source: str, met: bool) -> None:
    graph = made("int64", (1,), lambda b, x: b.op("Add", b.constant(np.arange(4) * step), x))
    artifact = Artifact(format="torch", source=source)
    assert occurs("inductor/arange_beyond_int32", of_graph(graph, np.int64([0]), artifact=artifact)) == met


# --- counting --------------------------------------------------------------------------------------------------------


def test_values_are_those_of_the_interpreter() -> None:
    """A set of inputs does not count if the graph has no value on it."""
    b = GraphBuilder()
    quotient = b.op("Div", b.constant(np.int32([8])), b.input(TensorType("int32", (1,))))
    graph = b.build([quotient])
    program = Program(graph, lambda: [[np.int32([0])], [np.int32([2])]], lambda: None)
    (run,) = program.runs
    assert run[quotient] == evaluate(graph, [np.int32([2])])[0] == 4


def test_programs_are_counted_that_meet_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same programs."""
    graphs = [str(program.graph) for _, program in proxy.generated(["tvm"], "small", 30, 0)]
    wanted = {
        "tvm/all": Condition("", lambda program: True),
        "tvm/none": Condition("", lambda program: False),
        "tvm/some": Condition("", lambda program: str(program.graph) in graphs[:7]),
        "xla/nodes": Condition("", lambda program: len(program.graph) > 6),
    }
    monkeypatch.setattr(proxy, "CONDITIONS", wanted)
    assert proxy.count("small", 30, 0) == {"tvm/all": 30, "tvm/none": 0, "tvm/some": 7, "xla/nodes": 0}


@pytest.mark.parametrize("name", ["inductor", "onnxruntime"])
def test_programs_have_the_values_and_the_form_of_a_campaign(name: str) -> None:
    """The profile ``edge`` draws NaN, and an ONNX model has an opset."""
    programs = [program for _, program in proxy.generated([name], "small", 200, 0)]
    inputs = [array for program in programs for arrays in program.draw() for array in arrays]
    assert any(np.isnan(array).any() for array in inputs if dtypes.is_float(dtypes.of_array(array)))
    assert any(program.opset for program in programs) == (name == "onnxruntime")
    assert any(program.says("torch.") for program in programs) == (name == "inductor")


def test_the_table_says_what_was_not_counted() -> None:
    met = {key: 1234 for key in CONDITIONS if key != "tvm/relu_of_nan"}
    lines = proxy.as_markdown({"small": {"programs": 5000, "met": met}}).splitlines()
    (row,) = (line for line in lines if "tvm/relu_of_nan" in line)
    assert row.endswith("| - |")
    assert any(line.endswith("small, of 5,000 |") for line in lines)
    assert sum(line.endswith("| 1,234 |") for line in lines) == len(met)
    assert lines[-1].endswith(f"| {len(met)} of {len(CONDITIONS)} |")
