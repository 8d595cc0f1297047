"""Uncompiled frameworks agree with the operator table on infinities, NaN, other special numbers and overflow, too."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np
import pytest

from polyjuice.frameworks.lowering import lower
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import Mode, analyse, describe, judge
from polyjuice.ops import TABLE, GraphBuilder, Op, Operand
from polyjuice.ops.decompose import NoDecomposition, decompose
from tests.support.applications import application, one_node, random_array
from tests.support.frameworks import RUN
from tests.support.unchanged import UNCHANGED
from tests.support.unsupported import Cell, Unsupported, cells

ELEMENTWISE = [op for op in TABLE.values() if op.elementwise and op.limits and len(op.inputs) <= 2]
OTHERS = [
    op
    for op in TABLE.values()
    if (op.limits and op not in ELEMENTWISE) or (op.moves and "float32" in op.types[op.inputs[0]])
]
MODULAR = [op for op in TABLE.values() if op.modular]

LACKS = {"onnx": ("LayerNormalization: absent input named", "Squeeze: absent input named")}
"""Forms on which ONNX Runtime 1.32.0 crashes."""

DRAWS = 8
"""How many applications of an operator are drawn."""


def special(dtype: str) -> np.ndarray:
    largest, least = dtypes.largest_finite(dtype), dtypes.smallest_normal(dtype)
    ordinary = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -2.5, 3.0, 7.25)
    return np.array((-np.inf, np.inf, np.nan, largest, -largest, least, least / 4, -least / 4, *ordinary)).astype(dtype)


def of_special_numbers(op: Op, seed: int) -> tuple[Graph, list[np.ndarray]]:
    """Operands of all pairs of special numbers, or all of them. Other operators get some, in operands of any shape."""
    rng, values = random.Random(f"{op.name} {seed}"), np.random.default_rng(seed)
    if op in ELEMENTWISE and all("float32" in op.types[v] for v in op.inputs):
        columns = list(zip(*itertools.product(special("float32"), repeat=len(op.inputs)), strict=True))
        operands = [Operand(TensorType("float32", (len(column),))) for column in columns]
        if sample := op.sample(rng, operands[0].type):
            build = GraphBuilder()
            names = [build.input(operand.type) for operand in operands]
            graph = build.build(build.multi(op.name, *names, domain=op.domain, **sample.attrs))
            return graph, [np.array(column, np.float32) for column in columns]
    operands, attrs = application(op, rng, "float32" if "float32" in op.types[op.inputs[0]] else None)
    arrays = []
    for operand in operands:
        array = random_array(values, operand)
        if operand.values is None and array.dtype == np.float32:
            chosen = values.choice(special("float32")[:5], 2)
            array = np.where(values.random(array.shape) < 0.15, values.choice(chosen, array.shape), array)
        arrays.append(array.astype(dtypes.to_numpy(operand.type.dtype)))
    return one_node(op, operands, attrs), arrays


def of_extreme_integers(op: Op, seed: int) -> tuple[Graph, list[np.ndarray]]:
    rng, values = random.Random(f"{op.name} {seed}"), np.random.default_rng(seed)
    operands, attrs = application(op, rng, rng.choice([t for t in op.types[op.inputs[0]] if dtypes.is_int(t)]))
    arrays = []
    for operand in operands:
        array = random_array(values, operand)
        if operand.values is None and dtypes.is_int(operand.type.dtype):
            low, high = dtypes.exact_integers(operand.type.dtype)
            array = values.integers(low, high, array.shape, dtype=array.dtype, endpoint=True)
        arrays.append(np.asarray(array))
    return one_node(op, operands, attrs), arrays


def known_elements(framework: str, graph: Graph, arrays: list[np.ndarray], mode: Mode, seed: int) -> int:
    """Check that the framework's results lie within their bounds. Return the number of elements with finite bounds."""
    analyses = analyse(graph, arrays, mode=mode)
    results = RUN[framework](lower(graph, framework, seed, lacks=LACKS.get(framework, ())), arrays)
    for result, analysis in zip(results, analyses, strict=True):
        judgement = judge(np.asarray(result), analysis)
        assert not judgement, f"{graph}\n{describe(framework, np.asarray(result), analysis, judgement)}"
    return sum(int(np.isfinite(a.bound).sum()) for a in analyses)


def _cells(framework: str, graph: Graph) -> list[Cell]:
    """The cells of the graph's operators, and of the operators by which ONNX expresses them."""
    found = list(cells(framework, graph))
    if framework == "onnx":
        with suppress(NoDecomposition):
            found += cells(framework, decompose(graph, OPSET))
    return found


def assert_agrees(
    op: Op, framework: str, applications: Iterable[tuple[Graph, list[np.ndarray]]], mode: Mode, table: Unsupported
) -> None:
    """The framework agrees with the operator table on some elements, unless the other table says that nothing runs."""
    known, runs = 0, False
    for seed, (graph, arrays) in enumerate(applications):
        runs = runs or not table.never_runs((framework, op.qualified, graph.input_types[0].dtype))
        try:
            known += known_elements(framework, graph, arrays, mode, seed)
        except EvaluationError:
            continue
        except Exception as error:
            if not table.explains(error, _cells(framework, graph)):
                raise
    assert bool(known) == runs


def usual(operators: Sequence[Op], suite: str) -> pytest.MarkDecorator:
    """Each operator on each framework. Operators that have not changed are for the long tests."""
    cells = [
        pytest.param(op, name, marks=UNCHANGED.marks(f"{name} {suite}", op.qualified), id=f"{op.qualified}-{name}")
        for op in operators
        for name in RUN
    ]
    return pytest.mark.parametrize(("op", "framework"), cells)


@usual([*ELEMENTWISE, *OTHERS], "limits")
def test_a_framework_agrees_beyond_the_real_numbers(op: Op, framework: str, unsupported: Unsupported) -> None:
    applications = (of_special_numbers(op, seed) for seed in range(DRAWS))
    assert_agrees(op, framework, applications, Mode(wrap=True, edge=True), unsupported)
    UNCHANGED.passed(f"{framework} limits", op.qualified)


@usual(MODULAR, "wrapping")
def test_a_framework_wraps_integers_around(op: Op, framework: str, unsupported: Unsupported) -> None:
    applications = (of_extreme_integers(op, seed) for seed in range(DRAWS))
    assert_agrees(op, framework, applications, Mode(wrap=True), unsupported)
    UNCHANGED.passed(f"{framework} wrapping", op.qualified)
