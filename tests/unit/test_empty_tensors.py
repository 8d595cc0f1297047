"""Operators on tensors without elements: the interpreter, the analysis and ONNX's decomposition agree."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import analyse
from polyjuice.ops import TABLE, GraphBuilder, Op, ShapeMismatch, TypeMismatch, complete_attrs, infer
from polyjuice.ops.decompose import NoDecomposition, decompose
from polyjuice.ops.sampling import restricted_values

_DRAWS = 12


def drawn(op: Op) -> Iterator[Graph]:
    """Applications of an operator to a first operand with a dimension of 0, where it accepts one."""
    for number in range(_DRAWS):
        rng = random.Random(f"{op.qualified} {number}")
        sizes = rng.choices((1, 2, 3), k=rng.randint(1, 4))
        sizes[rng.randrange(len(sizes))] = 0
        first = TensorType(rng.choice(op.types[op.variable(0)]), tuple(sizes))
        sample = op.sample(rng, first)
        if sample is None:
            continue
        types = [first, *(operand.type for operand in sample.operands)]
        try:
            infer(op, types, complete_attrs(op, sample.attrs, first.dtype))
        except (ShapeMismatch, TypeMismatch):
            continue
        build = GraphBuilder()
        names = [build.input(first)]
        for operand in sample.operands:
            values = restricted_values(np.random.default_rng(number), operand) if operand.values else None
            names.append(build.input(operand.type) if values is None else build.constant(values))
        yield build.build(build.multi(op.name, *names, domain=op.domain, **sample.attrs))


@pytest.mark.parametrize("name", sorted({op.qualified for op in TABLE.values() if op.inputs}))
def test_an_operator_that_takes_no_elements_means_the_same_everywhere(name: str) -> None:
    op = next(op for op in TABLE.values() if op.qualified == name)
    for graph in drawn(op):
        inputs = [np.ones(t.shape, dtypes.to_numpy(t.dtype)) for t in graph.input_types]
        results = evaluate(graph, inputs)
        assert [x.shape for x in results] == [t.shape for t in graph.output_types]
        assert [a.bound.shape for a in analyse(graph, inputs)] == [t.shape for t in graph.output_types]
        try:
            native = decompose(graph, OPSET)
        except NoDecomposition:
            continue
        for result, other in zip(results, evaluate(native, inputs), strict=True):
            np.testing.assert_allclose(result.astype(np.float64), other.astype(np.float64), rtol=0.01)


def test_a_window_has_elements() -> None:
    """The reducer once left a pooling with windows of size 0, which no framework runs."""
    op = TABLE["", "MaxPool"]
    attrs = {"strides": (1, 1), "pads": (0, 0, 0, 0), "dilations": (1, 1), "ceil_mode": 1}
    image = TensorType("float32", (1, 1, 2, 2))
    assert infer(op, [image], complete_attrs(op, {**attrs, "kernel_shape": (1, 1)}, "float32"))[0].shape == (1, 1, 2, 2)
    with pytest.raises(ShapeMismatch, match="at least 1"):
        infer(op, [image], complete_attrs(op, {**attrs, "kernel_shape": (0, 0)}, "float32"))
