"""Reads and writes at indices: the uncertain elements, the drawn constants, and the opset that a model needs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, digest
from polyjuice.numerics import analyse
from polyjuice.ops import TABLE, GraphBuilder, Operand
from polyjuice.ops.sampling import restricted_values
from tests.support.applications import application, random_array


def one(op: str, *types: TensorType, domain: str = "", **attrs: Any) -> Graph:
    builder = GraphBuilder()
    return builder.build(builder.multi(op, *(builder.input(t) for t in types), domain=domain, **attrs))


def scattering(reduction: str, size: int = 4, indices: int = 3) -> Graph:
    data, index = TensorType("float32", (size,)), TensorType("int64", (indices,))
    return one("ScatterElements", data, index, TensorType("float32", (indices,)), axis=0, reduction=reduction)


DATA = np.zeros(4, np.float32)
TWICE = np.array([1, 3, 1])
UPDATES = np.array([5, 6, 7], np.float32)


def test_an_element_that_is_written_twice_is_in_doubt() -> None:
    (analysis,) = analyse(scattering("none"), [DATA, TWICE, UPDATES])
    assert np.isinf(analysis.bound).tolist() == [False, True, False, False]


@pytest.mark.parametrize("indices", [[1, -3, 0], [-1, 3, 0]])
def test_indices_from_both_ends_may_mean_one_element(indices: list[int]) -> None:
    (analysis,) = analyse(scattering("none"), [DATA, np.array(indices), UPDATES])
    assert np.isinf(analysis.bound).sum() == 1


@pytest.mark.parametrize(("reduction", "wanted"), [("add", 12), ("mul", 0), ("max", 7), ("min", 0)])
def test_a_reduction_combines_all_that_is_written(reduction: str, wanted: float) -> None:
    inputs = [DATA, TWICE, UPDATES]
    (analysis,) = analyse(scattering(reduction), inputs)
    assert analysis.reproducible
    assert evaluate(scattering(reduction), inputs)[0][1] == wanted


def test_the_product_of_large_integers_is_not_exact_though_a_zero_makes_it_small() -> None:
    graph = one("ScatterND", *(TensorType(t, s) for t, s in (("float32", (1,)), ("int64", (2, 1)), ("float32", (2,)))),
                reduction="mul")  # fmt: skip
    (analysis,) = analyse(
        graph, [np.array([0], np.float32), np.zeros((2, 1), np.int64), np.full(2, 2.0**20, np.float32)]
    )
    assert not analysis.reproducible


@pytest.mark.parametrize("op", ["Gather", "GatherElements"])
def test_an_index_that_may_be_another_masks_the_result(op: str) -> None:
    """The index is a cast of a value whose error could change the cast's result."""
    builder = GraphBuilder()
    data, x = builder.input(TensorType("float32", (4,))), builder.input(TensorType("float32", (3,)))
    index = builder.op("Cast", builder.op("Exp", x), to="int64")
    graph = builder.build([builder.op(op, data, index, axis=0)])
    (analysis,) = analyse(graph, [np.arange(4, dtype=np.float32), np.log(np.array([1, 2, 3], np.float32))])
    assert np.isinf(analysis.bound).all()
    (analysis,) = analyse(graph, [np.arange(4, dtype=np.float32), np.log(np.array([1.5, 2.5, 3.5], np.float32))])
    assert not np.isinf(analysis.bound).any()


@pytest.mark.parametrize("op", ["index_select", "take_along_dim", "index_add", "index_copy"])
def test_operators_of_atens_do_not_count_from_the_end(op: str) -> None:
    graph_types = {"index_select": 2, "take_along_dim": 2}.get(op, 3)
    types = [TensorType("float32", (3,)), TensorType("int64", (1,)), TensorType("float32", (1,))][:graph_types]
    graph = one(op, *types, domain="aten", dim=0)
    inputs = [np.zeros(3, np.float32), np.array([-1]), np.ones(1, np.float32)][:graph_types]
    with pytest.raises(EvaluationError, match="negative"):
        evaluate(graph, inputs)


def test_an_index_out_of_range_is_hot_nowhere() -> None:
    graph = one("OneHot", TensorType("int64", (4,)), TensorType("float32", (2,)), depth=3, axis=1)
    (result,) = evaluate(graph, [np.array([0, -1, 3, -4]), np.array([2, 5], np.float32)])
    assert result.tolist() == [[5, 2, 2], [2, 2, 5], [2, 2, 2], [2, 2, 2]]


# --- constants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_values_are_distinct_along_the_axis_and_in_range(seed: int) -> None:
    operand = Operand(TensorType("int64", (3, 4, 2)), (-6, -1), 1)
    values = restricted_values(np.random.default_rng(seed), operand)
    assert values.shape == (3, 4, 2)
    assert (np.diff(np.sort(values, axis=1), axis=1) > 0).all()
    assert (values >= -6).all()
    assert (values <= -1).all()


@pytest.mark.parametrize("name", ["ScatterElements", "ScatterND", "aten.index_copy"])
def test_what_is_sampled_writes_no_element_twice(name: str) -> None:
    op = next(op for op in TABLE.values() if op.qualified == name)
    rng, values = random.Random(name), np.random.default_rng(0)
    replacing = 0
    for _ in range(60):
        operands, attrs = application(op, rng, "float32")
        if attrs.get("reduction", "none") == "none":
            graph = one(op.name, *(operand.type for operand in operands), domain=op.domain, **attrs)
            (analysis,) = analyse(graph, [random_array(values, operand) for operand in operands])
            assert np.isfinite(analysis.bound).all()
            replacing += 1
    assert replacing > 10


# --- padding ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "opset", "wanted"),
    [
        ("constant", 18, [0, 0, 1, 2, 3, 0]),
        ("reflect", 18, [3, 2, 1, 2, 3, 2]),
        ("edge", 18, [1, 1, 1, 2, 3, 3]),
        ("wrap", 19, [2, 3, 1, 2, 3, 1]),
    ],
)
def test_a_padding_mode_and_the_opset_that_has_it(mode: str, opset: int, wanted: list[int]) -> None:
    graph = one("Pad", TensorType("int64", (3,)), pads=(2, 1), mode=mode)
    assert evaluate(graph, [np.array([1, 2, 3])])[0].tolist() == wanted
    model = to_model(graph)
    assert {o.domain: o.version for o in model.opset_import}[""] == opset
    assert digest(from_model(model)) == digest(graph)
