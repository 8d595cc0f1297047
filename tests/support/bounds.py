"""Checks that results are exact or keep to their error bounds, and graphs for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import parser

from polyjuice.frameworks.onnx.graph_files import from_model
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import SAFETY, Analysis, Mode, analyse, distance
from tests.support.graphs import apply


def parsed(text: str) -> Graph:
    """The graph of a model in ONNX's text form, without its head."""
    return from_model(parser.parse_model(f'<ir_version: 9, opset_import: ["" : 18]> g {text}'))


def assert_equal(results: Sequence[np.ndarray], graph: Graph, inputs: Sequence[np.ndarray]) -> None:
    """Check that results are the interpreter's. All values are exact."""
    for result, expected in zip(results, evaluate(graph, inputs), strict=True):
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(result, expected)


def single(
    op: str, dtype: str, *arrays: Sequence[float] | float, mode: Mode | None = None, **attrs: object
) -> Analysis:
    """The analysis of the first result of one operator on given inputs, all of one type."""
    values = [np.asarray(array).astype(dtypes.to_numpy(dtype)) for array in arrays]
    made = apply(op, *(TensorType(dtype, value.shape) for value in values), **attrs)
    return analyse(made, values, mode=mode or Mode())[0]


def assert_within(results: Sequence[np.ndarray], analyses: Sequence[Analysis], what: object) -> int:
    """Check that no result leaves its bound, and exact results are equal. Return the number of bounded elements."""
    bounded = 0
    for result, analysis in zip(results, analyses, strict=True):
        gap = distance(result, analysis.reference)
        finite = np.isfinite(analysis.bound)
        outside = finite & (gap > SAFETY * analysis.bound)
        assert not outside.any(), f"{what}\n{result[outside]} is not {analysis.reference[outside]}"
        if analysis.reproducible:
            assert not gap[finite].any(), what
        bounded += int(finite.sum())
    return bounded


def masked(analysis: Analysis) -> list[bool]:
    return np.isinf(analysis.bound).reshape(-1).tolist()
