"""An axis counted from the end means the same as from the front, for all code that reads an operator's attributes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph
from polyjuice.numerics import analyse
from polyjuice.ops import TABLE, Op, axes, infer
from polyjuice.ops.decompose import NoDecomposition, decompose
from tests.support.applications import application, one_node, random_array

INSTANCES = 12

OPSET = 13

WITH_AXES = [
    pytest.param(op, id=op.qualified) for op in TABLE.values() if axes.NAMES & {attr.name for attr in op.attrs}
]


@pytest.mark.parametrize("op", WITH_AXES)
def test_axes_may_be_counted_from_the_end(op: Op) -> None:
    compared = 0
    for seed in range(INSTANCES):
        operands, attrs = application(op, random.Random(seed))
        ranks = operands[0].type.rank, infer(op, [operand.type for operand in operands], attrs)[0].rank
        negative = axes.from_the_end(op.name, attrs, *ranks)
        assert axes.from_the_front(op.name, negative, *ranks) == attrs
        graph, other = one_node(op, operands, attrs), one_node(op, operands, negative)
        inputs = [random_array(np.random.default_rng(seed), operand) for operand in operands]
        try:
            evaluate(graph, inputs, "float64")
        except EvaluationError:
            continue
        for a, b in zip(analyse(graph, inputs), analyse(other, inputs), strict=True):
            np.testing.assert_array_equal(a.reference, b.reference)
            np.testing.assert_array_equal(a.bound, b.bound)
        compared += negative != attrs
        assert_decomposed_alike(graph, other, inputs)
    assert compared


def assert_decomposed_alike(graph: Graph, other: Graph, inputs: list[np.ndarray]) -> None:
    try:
        values = evaluate(decompose(graph, OPSET), inputs, "float64")
    except (NoDecomposition, EvaluationError):
        return
    for a, b in zip(values, evaluate(decompose(other, OPSET), inputs, "float64"), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("format", ["torch", "tensorflow", "onnx"])
def test_programs_count_axes_from_either_side(format: str) -> None:
    op = TABLE["", "Softmax"]
    operands, attrs = application(op, random.Random(1), "float32")
    assert attrs["axis"] >= 0
    written = set()
    for seed in range(20):
        try:
            written.add("axes counted from the end" in lower(one_node(op, operands, attrs), format, seed).idioms)
        except Unlowerable as error:
            pytest.fail(str(error))
    assert written == {True, False}
