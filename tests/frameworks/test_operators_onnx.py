"""Truth from elsewhere: the table against ONNX's node test cases, its runtime and its reference evaluator."""

from __future__ import annotations

import importlib
import math
import pkgutil
import random
import warnings
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.frameworks.onnx.tensors import to_array
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.ops import TABLE, GraphBuilder, Op, Operand, Sample
from polyjuice.ops.decompose import decompose
from polyjuice.ops.sampling import SIZES, restricted_values
from tests.support.kinds import by_operator
from tests.support.unchanged import UNCHANGED

ONNX_OPS = sorted(name for domain, name in TABLE if not domain)

NO_NODE_CASES: dict[str, str] = {
    **dict.fromkeys(("Shape", "Size"), "the reader makes constants of them"),
    "Dropout": "the reader makes an Identity of it",
    "GlobalLpPool": "ONNX has none",
    "LayerNormalization": "all of theirs ask for the statistics too",
    "Loop": "theirs collect the values of the iterations, or sequences",
}
"""Operators of the table without a node test case that could run, and the reasons."""

MISJUDGED = {
    "LRN": "the reference evaluator counts channels by the batch size",
    "GlobalMaxPool": "the reference evaluator takes the maximum over the last axes of images alone",
    ("Erf", "float64"): "the reference evaluator computes Erf in single precision",
    ("ReduceSum", "bfloat16"): "the reference evaluator rounds every partial sum",
    ("LayerNormalization", "bfloat16"): "the reference evaluator rounds every partial sum",
    ("ReduceL1", "bfloat16"): "the reference evaluator rounds every partial sum",
    ("ReduceL2", "bfloat16"): "the reference evaluator rounds every partial sum",
    ("ReduceProd", "bfloat16"): "the reference evaluator rounds every partial product",
    ("ConvTranspose", "bfloat16"): "the reference evaluator is wrong where there are groups",
    ("GridSample", "bfloat16"): "the reference evaluator rounds places to bfloat16",
    ("LpNormalization", "bfloat16"): "the reference evaluator sums numbers, not magnitudes, where p is 1",
    ("MaxPool", "bfloat16"): "the reference evaluator leaves out windows that ceil_mode asks for",
}
"""Operators that the reference evaluator cannot judge, and the reasons. ONNX Runtime judges them on float32."""

SINGLE_PRECISION = {
    ("Resize", "float64"): "scales are of single precision, and so the reference evaluator computes places",
    ("Gelu", "float64"): "ONNX's definition holds constants in single precision, and so does the evaluator's Erf",
    ("HardSwish", "float64"): "ONNX's definition holds 1/6 in single precision",
    ("Shrink", "float64"): "ONNX Runtime computes it in single precision",
}
"""Operators that the judges compute in single precision, although the type is double, and the reasons."""

ROUNDED = {"test_gridsample_bicubic": 4}
"""The number of decimals in a node test case's expected values, where it is less than the type holds."""

RUNTIME_RANKS = {"LRN": 4}
"""The only rank that ONNX Runtime accepts, where the specification allows others."""

INTEGER_VALUES = {"ReduceProd": (-1, 1)}
"""Ranges of integer operands in which no result overflows (the default is -9 to 9)."""

ROUNDINGS = {"float16": 4, "bfloat16": 4, "float32": 64, "float64": 64}
"""Tolerated error in unit roundoffs of the largest result. Half types are computed wider and rounded once."""

LARGEST_INSTANCE = 4096
SEEDS = range(8)


def assert_close(
    actual: np.ndarray, expected: np.ndarray, precision: str = "float64", decimals: int | None = None
) -> None:
    """Check that types, shapes, NaNs, infinities and values are equal. Only floats may differ a little.

    ``precision`` names a narrower floating type in which ``expected`` was computed. ``decimals`` is the number of
    decimals that ``expected`` has, unless it has all.
    """
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    dtype = dtypes.dtype_of(actual)
    if not dtypes.is_float(dtype):
        np.testing.assert_array_equal(actual, expected)
        return
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    scale = np.max(np.abs(e[np.isfinite(e)]), initial=0.0)
    unit = max(ROUNDINGS[t] * dtypes.unit_roundoff(t) for t in (dtype, precision) if dtypes.is_float(t))
    written = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    np.testing.assert_allclose(a, e, rtol=unit, atol=unit * scale + dtypes.smallest_normal(dtype) + written)


# --- ONNX's node test cases ---------------------------------------------------------------------------------


SLOW = {"averagepool": "AveragePool", "lppool": "LpPool", "maxpool": "MaxPool"}
"""Modules whose cases take ONNX longer to make than all others together, and their operators."""


def node_cases(without: Collection[str]) -> dict[str, list[tuple[str, Graph, Sequence[np.ndarray], Sequence[Any]]]]:
    """By operator: the cases that load as graphs of table nodes alone, their inputs and expected outputs.

    The cases of slow modules are missing, unless another test has made them already.
    """

    def import_all(package: ModuleType) -> None:
        for module in pkgutil.iter_modules(package.__path__):
            if module.name not in without:
                importlib.import_module(f"{package.__name__}.{module.name}")

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        from onnx.backend.test.case import node

        patch.setattr(node, "import_recursive", import_all)
        cases = node.collect_testcases(None)
    found = defaultdict(list)
    for case in cases:
        if not any(node.op_type in ONNX_OPS for node in case.model.graph.node):
            continue
        for inputs, outputs in case.data_sets:
            try:
                model, feeds = with_constant_operands(case.model, inputs)
                graph = from_model(model, case.name)
            except FormatError:
                continue
            if any(node.opaque for node in graph.nodes):
                continue
            operands = [as_array(feeds[name]) for name in graph.inputs]
            for name in {node.op for node in graph.nodes}:
                found[name].append((case.name, graph, operands, outputs))
    return found


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
@pytest.mark.parametrize("without", [SLOW, {}], ids=["fast", "all"])
def test_node_cases(without: dict[str, str]) -> None:
    """One test runs all cases, because making them together takes a while."""
    found = node_cases(without)
    assert set(ONNX_OPS) - found.keys() - set(without.values()) == NO_NODE_CASES.keys()
    failures = []
    for name, cases in found.items():
        for case, graph, inputs, expected in cases:
            try:
                for actual, wanted in zip(evaluate(graph, inputs), expected, strict=True):
                    assert_close(actual, as_array(wanted), decimals=ROUNDED.get(case))
            except AssertionError as error:
                failures.append(f"{name}: {case}: {error}")
    assert not failures, "\n".join(failures)


# --- random typed instances ---------------------------------------------------------------------------------


def random_type(rng: random.Random, dtype: str) -> TensorType:
    """A type of rank 0 to 5 with a bounded number of elements."""
    shape: list[int] = []
    for _ in range(rng.randint(0, 5)):
        largest = LARGEST_INSTANCE // TensorType(dtype, tuple(shape)).size
        shape.append(rng.choice([size for size in SIZES if size <= max(largest // 8, 1)]))
    rng.shuffle(shape)
    return TensorType(dtype, tuple(shape))


def instance(op: Op, dtype: str, seed: int) -> tuple[Graph, list[np.ndarray]] | None:
    """A graph of one application of an operator, and its inputs. None if no first operand fits."""
    rng, values = random.Random(f"{op.name} {dtype} {seed}"), np.random.default_rng(seed)
    limits = INTEGER_VALUES.get(op.name, (-9, 9))
    for _ in range(500):
        first = random_type(rng, dtype)
        sample = op.sample(rng, first) or retyped(op.sample(rng, replace(first, dtype="float32")), dtype)
        if sample is None or first.rank != RUNTIME_RANKS.get(op.name, first.rank):
            continue
        builder = GraphBuilder()
        arrays = [random_array(values, operand, limits) for operand in (Operand(first), *sample.operands)]
        names = [builder.input(TensorType(dtypes.dtype_of(array), array.shape)) for array in arrays]
        outputs = builder.multi(op.name, *names, domain=op.domain, **sample.attrs)
        return builder.build(outputs), arrays
    return None


def retyped(sample: Sample | None, dtype: str) -> Sample | None:
    """A sample for float32 operands, changed to another type. (Entries may sample fewer types than they accept.)"""
    if sample is None:
        return None
    return replace(sample, operands=tuple(replace(o, type=replace(o.type, dtype=dtype)) for o in sample.operands))


def random_array(values: np.random.Generator, operand: Operand, limits: tuple[int, int]) -> np.ndarray:
    """Values for an operand: in its own range if it has one, else normal or integers within ``limits``."""
    type = operand.type
    if operand.values is not None:
        return restricted_values(values, operand)
    if dtypes.is_float(type.dtype):
        array = values.normal(0, 2, type.shape)
    else:
        low, high = (0, 1) if type.dtype == "bool" else limits
        array = values.integers(max(low, 0) if type.dtype in dtypes.UNSIGNED else low, high, type.shape, endpoint=True)
    return np.asarray(array).astype(dtypes.to_numpy(type.dtype))


def onnxruntime_results(model: ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray] | None:
    """The outputs of unoptimized ONNX Runtime. None if it has no kernel."""
    ort = pytest.importorskip("onnxruntime")
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    if any(
        value.type.tensor_type.elem_type == TensorProto.BFLOAT16 for value in (*model.graph.input, *model.graph.output)
    ):
        return None  # its Python interface has no arrays of bfloat16
    try:
        session = ort.InferenceSession(model.SerializeToString(), options)
        outputs: list[np.ndarray] = session.run(None, feeds)
    except state.NotImplemented:
        return None
    except state.RuntimeException as error:
        if "is not supported" in str(error):
            return None
        raise
    return outputs


def reference_results(model: ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray] | None:
    """The outputs of ONNX's reference evaluator. None if it cannot compute them in their types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outputs = [np.asarray(array) for array in ReferenceEvaluator(model).run(None, feeds)]
        except (TypeError, NotImplementedError, RuntimeError, ValueError):
            return None
    wanted = [dtypes.to_numpy(type.dtype) for type in from_model(model).output_types]
    return outputs if [array.dtype for array in outputs] == wanted else None


def single_precision_results(graph: Graph, inputs: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    """The outputs of ONNX Runtime on float32 operands (int64 indices), in the graph's own types."""
    builder = GraphBuilder()
    (node,) = graph.nodes
    op = TABLE["", node.op]
    kinds = ["float32" if op.accepts(position, "float32") else "int64" for position in range(len(inputs))]
    arrays = [array.astype(kind) for array, kind in zip(inputs, kinds, strict=True)]
    names = [
        builder.input(TensorType(kind, array.shape), name)
        for name, array, kind in zip(graph.inputs, arrays, kinds, strict=True)
    ]
    single = builder.build(builder.multi(node.op, *names, outputs=graph.outputs, **node.attrs))
    outputs = onnxruntime_results(to_model(single), dict(zip(names, arrays, strict=True)))
    types = graph.output_types
    return outputs and [array.astype(dtypes.to_numpy(t.dtype)) for array, t in zip(outputs, types, strict=True)]


PAIRS = [(name, dtype) for name in ONNX_OPS for dtype in TABLE["", name].types[TABLE["", name].inputs[0]]]


@by_operator(PAIRS, "onnx reference")
def test_random_instances(name: str, tried: list[str]) -> None:
    for dtype in tried:
        instances = [made for seed in SEEDS if (made := instance(TABLE["", name], dtype, seed))]
        assert instances, dtype
        for graph, inputs in instances:
            if set(dtypes.NARROW).isdisjoint(t.dtype for t in graph.types.values()):
                agree(name, dtype, graph, inputs)
    UNCHANGED.passed("onnx reference", name)


def agree(name: str, dtype: str, graph: Graph, inputs: list[np.ndarray]) -> None:
    """Check the interpreter against ONNX Runtime, or against the reference evaluator if there is no kernel."""
    model = to_model(graph)
    onnx.checker.check_model(model, full_check=True)
    assert digest(from_model(model)) == digest(graph)
    feeds = dict(zip(graph.inputs, inputs, strict=True))
    expected = onnxruntime_results(model, feeds)
    precision = dtype
    if expected is None and name not in MISJUDGED and (name, dtype) not in MISJUDGED:
        expected = reference_results(model, feeds)
    if expected is None:
        expected, precision = single_precision_results(graph, inputs), "float32"
    if (name, dtype) in SINGLE_PRECISION:
        precision = "float32"
    assert expected is not None
    for actual, wanted in zip(evaluate(graph, inputs), expected, strict=True):
        assert_close(actual, wanted, precision)


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
