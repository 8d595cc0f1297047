"""The forms of Torch's calls: all forms of an application occur, mean the same, and are reported."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np
import pytest

from polyjuice.frameworks.choosers import drawing
from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.torch import constants as torch_constants
from polyjuice.frameworks.torch import writes as torch_writes
from polyjuice.frameworks.torch.forms import forms, vary
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.ops import GraphBuilder
from tests.support.frameworks import run_torch
from tests.support.libraries import library

torch = library("torch")

SEEDS = range(120)


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


def varied(text: str) -> set[str]:
    """The texts of an expression with its arguments in all forms that the seeds draw."""
    found = set()
    for seed in SEEDS:
        tree = ast.parse(text, mode="eval")
        vary(tree, drawing(seed).about(""))
        found.add(ast.unparse(tree))
    return found


def applied(op: str, t: TensorType, domain: str = "", **attrs: object) -> Graph:
    build = GraphBuilder()
    return build.build([*build.multi(op, build.input(t, "x"), domain=domain, **attrs)])


def assert_all_mean_the_same(graph: Graph, inputs: Sequence[np.ndarray]) -> set[str]:
    """The forms of a graph's one operator for many seeds. Each gives the interpreter's results."""
    seen = set()
    for seed in SEEDS:
        artifact = lower(graph, "torch", seed)
        for result, expected in zip(run_torch(artifact, inputs), evaluate(graph, inputs), strict=True):
            np.testing.assert_array_equal(result, expected, artifact.source)
        seen |= {form for _, form in artifact.forms}
    return seen


def test_arguments_are_named_or_not_left_out_and_one_number_or_several() -> None:
    assert varied("x.sum(dim=(0,), keepdim=False)") >= {
        "x.sum(0)",
        "x.sum(dim=0)",
        "x.sum(dim=[0])",
        "x.sum((0,), False)",
        "x.sum(dim=(0,), keepdim=False)",
    }
    assert varied("x.sum(dim=(0, 1), keepdim=True)") >= {"x.sum((0, 1), True)", "x.sum(dim=[0, 1], keepdim=True)"}
    assert "F.max_pool2d(x, 2)" in varied("F.max_pool2d(x, (2, 2), stride=(2, 2), padding=(0, 0), ceil_mode=False)")
    assert varied("torch.max(x, y)") == {"torch.max(x, y)"}


def test_a_reduction_has_all_its_forms() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    total = applied("ReduceSum", float32(2, 3), axes=(0, 1), keepdims=0)
    assert assert_all_mean_the_same(total, [x]) >= {"torch.sum", "Tensor.sum", "no argument", "several dims"}
    rows = applied("ReduceMax", float32(2, 3), axes=(1,), keepdims=1)
    assert assert_all_mean_the_same(rows, [x]) >= {"torch.amax", "Tensor.amax", ".values", "keepdim", "one dim"}


def test_values_and_places_and_a_place_among_all_elements() -> None:
    x = np.array([[1, 7, 3], [7, 0, 7]], np.float32)
    both = applied("max", float32(2, 3), "aten", dim=1, keepdim=0)
    assert assert_all_mean_the_same(both, [x]) >= {"torch.max", "Tensor.max"}
    assert assert_all_mean_the_same(applied("argmax", float32(2, 3), "aten"), [x]) >= {"torch.argmax", "Tensor.argmax"}


def test_a_window_that_is_cut_short_is_said_by_ceil_mode() -> None:
    window = {"kernel_shape": (2, 2), "strides": (2, 2), "pads": (0, 0, 0, 0), "dilations": (1, 1), "ceil_mode": 1}
    graph = applied("MaxPool", float32(1, 1, 5, 5), **window)
    x = np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)
    assert assert_all_mean_the_same(graph, [x]) >= {"ceil_mode", "F.max_pool2d", "torch.nn.MaxPool2d"}


def test_sizes_are_said_by_factors() -> None:
    images = float32(1, 2, 4, 6)
    x = np.arange(48, dtype=np.float32).reshape(1, 2, 4, 6)
    style = {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    graph = applied("Resize", images, mode="nearest", sizes=(1, 2, 8, 12), **style)
    seen = assert_all_mean_the_same(graph, [x])
    assert {"F.interpolate", "torch.nn.Upsample", "scale_factor", "recompute_scale_factor"} <= seen
    graph = applied("Resize", images, mode="linear", sizes=(1, 2, 7, 9), coordinate_transformation_mode="align_corners")
    assert assert_all_mean_the_same(graph, [x]) >= {"scale_factor", "align_corners"}


def test_factors_that_are_not_the_ratios_are_kept() -> None:
    style = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    graph = applied("Resize", float32(1, 1, 8), mode="nearest", sizes=(1, 1, 10), scales=(1.0, 1.0, 1.3), **style)
    x = np.arange(8, dtype=np.float32).reshape(1, 1, 8)
    assert evaluate(graph, [x])[0].ravel().tolist() == [0, 0, 1, 2, 3, 3, 4, 5, 6, 6]
    assert "scale_factor" in assert_all_mean_the_same(graph, [x])
    by_size = applied("Resize", float32(1, 1, 8), mode="nearest", sizes=(1, 1, 10), **style)
    assert evaluate(by_size, [x])[0].ravel().tolist() == [0, 0, 1, 2, 3, 4, 4, 5, 6, 7]


def test_numbers_stand_on_either_side() -> None:
    build = GraphBuilder()
    x = build.input(float32(3), "x")
    two = build.constant(np.full(3, -2, np.float32))
    graph = build.build([build.op("Sub", two, x), build.op("Greater", x, two)])
    seen = assert_all_mean_the_same(graph, [np.array([-3, -2, 5], np.float32)])
    assert {"a number on the left", "a number on the right"} <= seen


def test_tensors_are_written_part_by_part_and_through_views() -> None:
    build = GraphBuilder()
    x, y = build.input(float32(2, 3), "x"), build.input(float32(2, 2), "y")
    joined = build.op("Relu", build.op("Neg", build.op("Concat", x, y, axis=1)))
    graph = build.build([build.op("Pad", joined, pads=(1, 0, 0, 2), value=4.0, mode="constant")])
    inputs = [np.arange(-3, 3, dtype=np.float32).reshape(2, 3), np.full((2, 2), -1, np.float32)]
    assert assert_all_mean_the_same(graph, inputs) >= {"written part by part", torch_writes.FORM}


def test_modules_are_made_by_the_constructor() -> None:
    sources = {str(lower(applied("Relu", float32(2)), "torch", seed).source) for seed in SEEDS}
    assert any("self.m_" in text and text.index("torch.nn.ReLU()") < text.index("def forward") for text in sources)


PATTERNS = [
    np.arange(5),
    np.arange(6, dtype=np.float32).reshape(2, 3) / 4,
    np.arange(9, 0, -3, dtype=np.int32),
    np.arange(11) * 10**9,
    np.arange(6).reshape(2, 3) * -(2**31) + 7,
    np.eye(3, 4, dtype=np.int8),
    np.tri(3, 3, 0, bool),
    np.tri(4, 3, -1, np.float64).T,
    np.array([[1.5, -0.25], [3.0, 7.0]], np.float32),
]


@pytest.mark.parametrize("array", PATTERNS, ids=lambda a: f"{a.dtype} {a.tolist()}")
def test_a_constant_that_the_program_makes_is_that_constant(array: np.ndarray) -> None:
    texts = {torch_constants.made(array, "", drawing(seed).about("")) for seed in SEEDS}
    assert len(texts) > 1 or array.size == 4
    for text in texts:
        made = eval(str(text), {"torch": torch}).numpy()
        assert made.tobytes() == array.tobytes(), text
        assert (made.dtype, made.shape) == (array.dtype, array.shape)


def test_numbers_far_apart_are_a_range_or_a_product_with_one() -> None:
    texts = {str(torch_constants.made(np.arange(11) * 10**9, "", drawing(seed).about(""))) for seed in SEEDS}
    assert {"torch.arange(0, 11000000000, 1000000000, dtype=torch.int64)"} < texts
    assert "(torch.arange(11, dtype=torch.int64) * 1000000000)" in texts
    near_the_end = torch_constants.made(np.array([0, 2**62 - 1, 2**63 - 2]), "", drawing(0).about(""))
    assert near_the_end == "torch.tensor([0, 4611686018427387903, 9223372036854775806], dtype=torch.int64)"


def test_no_pattern_no_program() -> None:
    assert torch_constants.made(np.arange(20) ** 2, "", drawing(0).about("")) is None
    assert torch_constants.made(np.array([0.1, np.nan]), "", drawing(0).about("")) is None


def test_a_tensor_of_one_value_is_that_tensor() -> None:
    x = torch.zeros(1)
    for dtype in ("float32", "int64", "bool"):
        for seed in SEEDS:
            text = torch_constants.filled(
                TensorType(dtype, ()), {"bool": "True"}.get(dtype, "1"), "x", drawing(seed).about("")
            )
            made = eval(text, {"torch": torch, "x": x})
            assert (str(made.dtype), made.shape, made.item()) == (f"torch.{dtype}", (), 1)


def test_forms_are_read_off_the_text() -> None:
    assert forms(ast.parse("torch.sum(x, dim=0, keepdim=True)", mode="eval")) == ["torch.sum", "one dim", "keepdim"]
    assert forms(ast.parse("x.relu()", mode="eval")) == ["Tensor.relu", "no argument"]
    assert forms(ast.parse("2.0 - x", mode="eval")) == ["-", "a number on the left"]
