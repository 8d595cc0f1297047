"""Truth from elsewhere: the table against ONNX's node test cases. Models of all operators are valid and read back."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, numpy_helper

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.frameworks.onnx.tensors import to_array
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.ops import TABLE, GraphBuilder
from polyjuice.ops.decompose import decompose
from tests.support.applications import with_values

ONNX_OPS = sorted(name for domain, name in TABLE if not domain)

NO_NODE_CASES: dict[str, str] = {
    **dict.fromkeys(("Shape", "Size"), "the reader makes constants of them"),
    "Dropout": "the reader makes an Identity of it",
    "GlobalLpPool": "ONNX has none",
    "LayerNormalization": "all of theirs ask for the statistics too",
    "MaxRoiPool": "ONNX has none",
    "Loop": "theirs collect the values of the iterations, or sequences",
}
"""Operators of the table without a node test case that could run, and the reasons."""

ROUNDED = {"test_gridsample_bicubic": 4, "test_roialign_aligned_false": 3, "test_roialign_aligned_true": 3}
"""The number of decimals in a node test case's expected values, where it is less than the type holds."""

ROUNDINGS = {"float16": 4, "bfloat16": 4, "float32": 64, "float64": 64}
"""Tolerated error in unit roundoffs of the largest result. Half types are computed wider and rounded once."""


def assert_close(actual: np.ndarray, expected: np.ndarray, decimals: int | None) -> None:
    """Check that types, shapes, NaNs, infinities and values are equal. Only floats may differ a little.

    ``decimals`` is the number of decimals that ``expected`` has, unless it has all.
    """
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    dtype = dtypes.dtype_of(actual)
    if not dtypes.is_float(dtype):
        if dtype in dtypes.NARROW_FLOATS:  # NumPy does not know their NaN
            actual, expected = actual.astype(np.float32), expected.astype(np.float32)
        np.testing.assert_array_equal(actual, expected)
        return
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    scale = np.max(np.abs(e[np.isfinite(e)]), initial=0.0)
    unit = ROUNDINGS[dtype] * dtypes.unit_roundoff(dtype)
    written = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    np.testing.assert_allclose(a, e, rtol=unit, atol=unit * scale + dtypes.smallest_normal(dtype) + written)


def node_cases() -> Iterator[tuple[str, Graph, Sequence[np.ndarray], Sequence[Any]]]:
    """The cases that load as graphs of table nodes alone: their names, graphs, inputs and expected outputs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case import node

        cases = node.collect_testcases(None)
    for case in cases:
        if not any(node.op_type in ONNX_OPS for node in case.model.graph.node):
            continue
        for inputs, outputs in case.data_sets:
            try:
                model, feeds = with_constant_operands(case.model, inputs)
                graph = from_model(model, case.name)
            except FormatError:
                continue
            if not any(node.opaque for node in graph.nodes):
                yield case.name, graph, [as_array(feeds[name]) for name in graph.inputs], outputs


def as_array(value: Any) -> np.ndarray:
    """A value of a test case: an array, or a TensorProto if NumPy lacks the type."""
    return to_array(value, "value") if isinstance(value, TensorProto) else np.asarray(value)


def with_constant_operands(model: ModelProto, inputs: Sequence[Any]) -> tuple[ModelProto, dict[str, Any]]:
    """The model whose inputs are constant where the table has attributes, and the values of all inputs."""
    feeds = dict(zip((info.name for info in model.graph.input), inputs, strict=False))
    bound = ModelProto()
    bound.CopyFrom(model)
    for node in model.graph.node:
        op = TABLE.get(("", node.op_type))
        if op is None or not any(attr.as_input for attr in op.attrs):
            continue
        inputs = list(node.input)
        placed = [inputs.pop(a.place) for a in op.attrs if a.place is not None and a.place < len(inputs)]
        for name in (*placed, *inputs[len(op.inputs) :]):
            if name in feeds:
                bound.graph.initializer.append(numpy_helper.from_array(np.asarray(feeds[name]), name))
    return bound, feeds


@pytest.mark.long
def test_node_cases() -> None:
    """One test runs all cases, because making them together takes a while."""
    met, failures = set(), []
    for case, graph, inputs, expected in node_cases():
        met.update(node.op for node in graph.nodes)
        try:
            for actual, wanted in zip(evaluate(graph, inputs), expected, strict=True):
                assert_close(actual, as_array(wanted), ROUNDED.get(case))
        except AssertionError as error:
            failures.append(f"{case}: {error}")
    assert not failures, "\n".join(failures)
    assert set(ONNX_OPS) - met == NO_NODE_CASES.keys()


def test_each_operator_is_a_valid_model_that_is_read_back() -> None:
    for name in ONNX_OPS:
        op = TABLE["", name]
        types = [dtype for dtype in op.types[op.variable(0)] if dtype not in dtypes.NARROW]
        for dtype in {types[0], types[-1]}:
            graph, _ = with_values(op, dtype, 0)
            model = to_model(graph)
            onnx.checker.check_model(model, full_check=True)
            assert digest(from_model(model)) == digest(graph), (name, dtype)


@pytest.mark.parametrize("name", ["cumprod", "logcumsumexp", "cummax", "cummin"])
def test_running_reductions_of_long_lines_stay_linear(name: str) -> None:
    builder = GraphBuilder()
    x = builder.input(TensorType("float32", (3, 5000)))
    results = builder.multi(name, x, domain="aten", dim=-1)
    graph = decompose(builder.build(results), OPSET)
    assert max(math.prod(t.shape) for t in graph.types.values()) <= 2 * 3 * 5000
    inputs = [np.random.default_rng(0).uniform(0.9, 1.1, (3, 5000)).astype(np.float32)]
    for mine, other in zip(evaluate(graph, inputs), evaluate(builder.build(results), inputs), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-3)
