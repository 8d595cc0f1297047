"""The conditions of published bugs: each holds of its entry's trigger, and not of what is near it. No compiler runs.

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

from polyjuice import compilers, given
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
"""What hangs on the values of inputs: ones never meet it."""


def occurs(key: str, program: Program) -> bool:
    condition = CONDITIONS[key].occurs
    assert condition
    return condition(program)


def of_model(model: ModelProto, inputs: dict[str, np.ndarray]) -> Program:
    user = given.from_model(model)
    return Program(user.graph, lambda: [[inputs[name] for name in user.graph.inputs]], lambda: user.artifact)


def of_graph(graph: Graph, *inputs: np.ndarray, artifact: Artifact | None = None) -> Program:
    return Program(graph, lambda: [inputs], lambda: artifact)


def test_each_open_entry_has_conditions_and_no_other() -> None:
    assert set(CONDITIONS) == {entry.key for entry in OPEN}


@pytest.mark.parametrize("entry", IN_ONNX, ids=lambda entry: entry.key)
def test_a_trigger_meets_its_conditions(entry: Entry) -> None:
    """What Polyjuice cannot read, it cannot generate."""
    trigger = load_trigger(entry.path)
    user = given.from_model(trigger.model())
    if user.unread:
        assert CONDITIONS[entry.key].lacks()
    else:
        assert occurs(entry.key, of_model(trigger.model(), trigger.inputs()))


@pytest.mark.parametrize("key", OF_VALUES)
def test_a_trigger_on_ones_does_not(key: str) -> None:
    (entry,) = (entry for entry in OPEN if entry.key == key)
    trigger = load_trigger(entry.path)
    ones = {name: np.ones_like(array) for name, array in trigger.inputs().items()}
    assert not occurs(key, of_model(trigger.model(), ones))


@pytest.mark.parametrize("key", [key for key, condition in CONDITIONS.items() if condition.occurs])
def test_a_trivial_program_does_not(key: str) -> None:
    b = GraphBuilder()
    graph = b.build([b.op("Neg", b.input(TensorType("float32", (2, 3))))])
    assert not occurs(key, of_graph(graph, np.ones((2, 3), np.float32)))


# --- models that are nearly a trigger --------------------------------------------------------------------------------


def attribute(name: str, value: object) -> Callable[[ModelProto], None]:
    """Another value of an attribute of the last node; None takes it away."""

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
    ("tvm/scatter_elements_narrow_indices", attribute("axis", 1)),
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
