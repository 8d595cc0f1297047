"""Values of 8-bit and 4-bit types in real compilers: the results of casts, and arrays as inputs and outputs."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

from polyjuice.execution import Limits, Worker
from polyjuice.frameworks.lowering import lower
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import Mode, analyse, judge
from polyjuice.ops import GraphBuilder
from polyjuice.triage.reproducers.arrays import Arrays
from tests.support.compilers import usable
from tests.support.shares import in_the_long_run

VALUES = np.array(
    [1.0625, 1.1875, -3.3, 448, 464, 470, 1e6, -1e6, 2.0**-9, 3 * 2.0**-10, 2.0**-12, -0.0, 0.1], np.float32
)
"""Ties, too large values, and denormal numbers. (61440 is missing, because ONNX Runtime 1.32.0 turns it into NaN.)"""


Run = tuple[Graph, list[np.ndarray]]


def agree(compiler: str, *runs: Run) -> None:
    """Run graphs in one process, and compare their results with the analysis and the interpreter, type by type."""
    info = usable(compiler)
    with Worker(info, limits=Limits(compile_s=60)) as worker:
        for graph, inputs in runs:
            outcome = worker.execute(lower(graph, info.format, 0, lacks=("forms", *info.lacks)), [inputs])
            assert outcome.status == "ok", f"{graph}\n{outcome.message}"
            analyses = analyse(graph, inputs, mode=Mode(edge=True))
            for array, expected, analysis in zip(outcome.outputs[0], evaluate(graph, inputs), analyses, strict=True):
                assert (array.dtype, array.shape) == (expected.dtype, expected.shape), graph
                assert np.isfinite(analysis.bound).sum() > array.size / 2, graph
                assert not judge(array, analysis), (graph, array, analysis.reference)


@pytest.mark.parametrize("compiler", ["onnxruntime", "eager", "openvino", *in_the_long_run("inductor", "xla")])
def test_casts_there_and_back(compiler: str) -> None:
    """OpenVINO 2026.4.1 turns too large values for float8e4m3fn into NaN, whatever ONNX's ``saturate`` says."""
    values = VALUES[np.abs(VALUES) <= 464] if compiler == "openvino" else VALUES
    agree(compiler, *(there_and_back(dtype, values) for dtype in dtypes.NARROW_FLOATS))


def there_and_back(dtype: str, values: np.ndarray) -> Run:
    build = GraphBuilder()
    x = build.input(TensorType("float32", values.shape))
    stored = build.input(TensorType(dtype, (3, 5)))
    y = build.op("Cast", x, to=dtype)
    back = build.op("Cast", build.op("Transpose", stored, perm=(1, 0)), to="float32")
    graph = build.build([y, build.op("Cast", y, to="float32"), back])
    return graph, [values, np.arange(15, dtype=np.uint8).reshape(3, 5).view(dtypes.to_numpy(dtype))]


@pytest.mark.parametrize("compiler", ["eager", *in_the_long_run("inductor")])
def test_bits_are_seen(compiler: str) -> None:
    runs = [bits_seen("float8e4m3fn", "uint8"), bits_seen("float8e5m2", "int8")]
    agree(compiler, *(runs if compiler == "eager" else runs[:1]))


def bits_seen(dtype: str, bits: str) -> Run:
    build = GraphBuilder()
    x = build.input(TensorType("float32", VALUES.shape))
    seen = build.op("BitCast", build.op("Cast", x, to=dtype), to=bits)
    joined = build.op("Concat", seen, seen, axis=0)
    graph = build.build([seen, build.op("Cast", build.op("BitCast", joined, to=dtype), to="float64")])
    return graph, [VALUES]


def test_onnxruntime_quantizes() -> None:
    agree("onnxruntime", *map(quantized, dtypes.NARROW))


def quantized(dtype: str) -> Run:
    build = GraphBuilder()
    x = build.input(TensorType("float32", VALUES.shape))
    scale = build.constant(np.array(2, np.float32))
    zero = build.constant(np.array(0).astype(dtypes.to_numpy(dtype)))
    y = build.op("QuantizeLinear", x, scale, zero)
    return build.build([y, build.op("DequantizeLinear", y, scale, zero)]), [VALUES]


def test_onnxruntime_takes_and_gives_numbers_of_4_bits() -> None:
    shapes = ((), (1,), (5,), (2, 3))
    agree("onnxruntime", *(of_4_bits(dtype, shape) for dtype in dtypes.NARROW_INTS for shape in shapes))


def of_4_bits(dtype: str, shape: tuple[int, ...]) -> Run:
    build = GraphBuilder()
    x = build.input(TensorType(dtype, shape))
    y = build.op("Cast", x, to="int32")
    graph = build.build([y, build.op("Cast", y, to=dtype)])
    bits = np.arange(3, 3 + int(np.prod(shape)), dtype=np.uint8).reshape(shape)
    return graph, [bits.view(dtypes.to_numpy(dtype))]


@pytest.mark.parametrize(
    ("compiler", "dtype"),
    [
        *(("onnxruntime", dtype) for dtype in dtypes.NARROW),
        *((name, "float8e5m2") for name in ("openvino", "iree")),
        *(pytest.param(name, "float8e4m3fn", marks=pytest.mark.long) for name in ("openvino", "iree")),
        *(pytest.param("tvm", dtype, marks=pytest.mark.long) for dtype in dtypes.NARROW_FLOATS),
    ],
)
@pytest.mark.parametrize("shape", [(5,), *in_the_long_run((), (2, 3))])
def test_a_reproducer_passes_arrays(compiler: str, dtype: str, shape: tuple[int, ...]) -> None:
    info = usable(compiler)
    build = GraphBuilder()
    x = build.input(TensorType(dtype, shape))
    y = build.op("Cast", x, to="float32")
    same = build.op("Identity", x) if dtype in dtypes.NARROW_FLOATS else build.op("Cast", y, to=dtype)
    graph = build.build([y, same])
    model = lower(graph, "onnx", 0, lacks=("forms",)).source
    first = 1 if dtype in dtypes.NARROW_INTS else 40  # TVM 0.27.0 has no denormal numbers (artifacts/bugs/075)
    array = np.arange(first, first + prod(shape), dtype=np.uint8).reshape(shape).view(dtypes.to_numpy(dtype))
    names: dict[str, Any] = {}
    prepare = info.repro_narrow or info.repro
    exec(f"import ctypes, ml_dtypes\nimport numpy as np\n{info.repro_imports}{prepare}", names)
    wide, back = names["prepare"](model, [array])()
    np.testing.assert_array_equal(wide, array.astype(np.float32))
    assert back.dtype == array.dtype
    assert back.view(np.uint8).tolist() == array.view(np.uint8).tolist()


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("dtype", dtypes.NARROW_FLOATS)
def test_a_reproducer_makes_tensors_of_torch(dtype: str, inline: bool) -> None:
    torch = pytest.importorskip("torch")
    array = np.arange(12, dtype=np.uint8).view(dtypes.to_numpy(dtype))
    text = Arrays(format="torch", device="cpu", inline=inline).expression("x", array)
    names = {"np": np, "torch": torch, "ARRAYS": {f"x@{dtype}": array.view(np.uint8)}}
    tensor = eval(text, names)
    assert str(tensor.dtype) == f"torch.{dtypes.framework_name(dtype)}"
    assert tensor.view(torch.uint8).tolist() == array.view(np.uint8).tolist()


def test_tensorflow_has_constants_that_are_filled() -> None:
    """An example is a quantization's zero point: a constant with one value is written as that value."""
    agree("xla", *map(with_a_filled_constant, dtypes.NARROW_FLOATS))


def with_a_filled_constant(dtype: str) -> Run:
    build = GraphBuilder()
    x = build.input(TensorType("float32", (4,)))
    half = build.constant(np.full(4, 0.5).astype(dtypes.to_numpy(dtype)))
    graph = build.build([build.op("Add", x, build.op("Cast", half, to="float32"))])
    artifact = lower(graph, "tensorflow", 0, lacks=("forms",))
    assert "arrays[" not in str(artifact.source)
    return graph, [np.array([1, 2, 3, 4], np.float32)]


@pytest.mark.parametrize("dtype", dtypes.NARROW_FLOATS)
def test_tensorflow_takes_arrays_of_unknown_sizes(dtype: str) -> None:
    info = usable("xla")
    build = GraphBuilder()
    graph = build.build([build.op("Cast", build.input(TensorType(dtype, (3,))), to="float32")])
    artifact = replace(lower(graph, "tensorflow", 0, lacks=("forms",)), setup={"dynamic": True})
    x = np.array([1, 0, -2]).astype(dtypes.to_numpy(dtype))
    with Worker(info, limits=Limits(compile_s=60)) as worker:
        outcome = worker.execute(artifact, [[x]])
    assert outcome.status == "ok", outcome.message
    assert outcome.outputs[0][0].tolist() == [1, 0, -2]
