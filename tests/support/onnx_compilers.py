"""Shared by the tests of ONNX compilers: small graphs that each compiler runs, and reproducers that run alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from polyjuice.execution import Artifact, Limits, Outcome, Worker
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType
from polyjuice.lower import lower
from polyjuice.ops import GraphBuilder
from tests.support.compilers import usable

LIMITS = Limits(compile_s=60)

X = np.array([[1, -2, 3], [-4, 5, 7]], np.float32)


def matrix() -> tuple[Graph, list[np.ndarray]]:
    """A product that is transposed, activated and reduced, with a weight and two outputs."""
    build = GraphBuilder()
    x, w = build.input(TensorType("float32", (2, 3))), build.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
    y = build.op(
        "Relu", build.op("Add", build.op("MatMul", x, w), build.op("Transpose", build.op("MatMul", x, w), perm=(1, 0)))
    )
    return build.build([y, build.op("ReduceSum", y, axes=(1,), keepdims=0)]), [X]


def mixed() -> tuple[Graph, list[np.ndarray]]:
    """Elements of several types, a scalar among them."""
    build = GraphBuilder()
    x, s, n = (build.input(TensorType(dtype, shape)) for dtype, shape in _MIXED)
    y = build.op("Cast", build.op("Mul", x, s), to="float32")
    chosen = build.op("Where", build.op("Greater", y, build.op("Neg", y)), y, build.op("Cast", n, to="float32"))
    return build.build([chosen, build.op("Cast", chosen, to="float16"), build.op("Neg", n), build.op("Abs", s)]), [
        X.astype(np.float16),
        np.array(-0.5, np.float16),
        np.array([3, -4, 5], np.int32),
    ]


_MIXED = [("float16", (2, 3)), ("float16", ()), ("int32", (3,))]


def gathered() -> tuple[Graph, list[np.ndarray]]:
    """Elements at indices that count from the end, of a type that two compilers return under another name."""
    build = GraphBuilder()
    x = build.input(TensorType("uint8", (2, 3)))
    rows = build.constant(np.array([-1, 0, -2]))
    return build.build([build.op("Gather", x, rows, axis=1)]), [np.array([[1, 2, 250], [3, 4, 255]], np.uint8)]


def unused() -> tuple[Graph, list[np.ndarray]]:
    """A graph whose first input is unused. Two outputs are one value, or an input itself."""
    build = GraphBuilder()
    _, x, y = (build.input(TensorType(dtype, (2, 3))) for dtype in ("float16", "float32", "int32"))
    z = build.op("Neg", x)
    return build.build([build.op("Add", y, y), z, build.op("Abs", z), z, x]), [
        X.astype(np.float16),
        X,
        X.astype(np.int32),
    ]


def shaped() -> tuple[Graph, list[np.ndarray]]:
    """A shape as the only output."""
    build = GraphBuilder()
    return build.build([build.op("Shape", build.input(TensorType("float32", (2, 3))))]), [X]


def halved() -> tuple[Graph, list[np.ndarray]]:
    """Bfloat16 in and out."""
    build = GraphBuilder()
    x = build.input(TensorType("bfloat16", (2, 3)))
    return build.build([build.op("Mul", x, build.constant(np.array(0.5, ml_dtypes.bfloat16)))]), [
        X.astype(ml_dtypes.bfloat16)
    ]


def chain() -> tuple[Graph, list[np.ndarray]]:
    """Elementwise operators in a row."""
    build = GraphBuilder()
    x = build.input(TensorType("float32", (2, 3)))
    y = build.op("Mul", build.op("Abs", build.op("Add", x, build.op("Neg", build.op("Abs", x)))), x)
    return build.build([build.op("Add", y, x)]), [X]


def constant() -> tuple[Graph, list[np.ndarray]]:
    """An expression of constants beside one that is not."""
    build = GraphBuilder()
    x, w = build.input(TensorType("float32", (2, 3))), build.constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    square = build.op("MatMul", w, build.op("Transpose", w, perm=(1, 0)))
    return build.build([build.op("Add", x, build.op("MatMul", square, w))]), [X]


GRAPHS: list[Callable[[], tuple[Graph, list[np.ndarray]]]] = [matrix, mixed, gathered, unused, shaped, halved]


def worker(name: str, **options: Any) -> Worker:
    """A worker of the compiler with these options of `start`."""
    return Worker(usable(name), limits=LIMITS, options=options)


def check(compiler: Worker, make: Callable[[], tuple[Graph, list[np.ndarray]]]) -> Outcome:
    """Run a graph and compare it with the interpreter. Every value is exact."""
    graph, inputs = make()
    outcome = compiler.execute(lower(graph, "onnx", 0, lacks=("functions", "forms")), [inputs])
    assert outcome.status == "ok", outcome.message + outcome.traceback
    for got, expected in zip(outcome.outputs[0], evaluate(graph, inputs), strict=True):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(got, expected)
    return outcome


def unknown_operator() -> Artifact:
    """A model with an operator that no library has."""
    import onnx
    from onnx import helper

    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, (2,)) for name in "xy")
    graph = helper.make_graph([helper.make_node("NoSuchOperator", ["x"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return Artifact(format="onnx", source=model.SerializeToString())


_ALONE = """
import sys
import numpy as np
{imports}
{repro}
inputs = np.load(sys.argv[1])
outputs = prepare(open(sys.argv[2], "rb").read(), [inputs[name] for name in sorted(inputs)])()
np.savez(sys.argv[3], *outputs)
"""


def check_reproducer(name: str, folder: Path, make: Callable[[], tuple[Graph, list[np.ndarray]]] = matrix) -> None:
    """Check that the snippet for reproducers runs in a process of its own."""
    info = usable(name)
    graph, inputs = make()
    source = lower(graph, "onnx", 0, lacks=("functions", "forms")).source
    assert isinstance(source, bytes)
    (folder / "model.onnx").write_bytes(source)
    np.savez(folder / "in.npz", *inputs)
    (folder / "alone.py").write_text(_ALONE.format(imports=info.repro_imports, repro=info.repro))
    subprocess.run([sys.executable, "alone.py", "in.npz", "model.onnx", "out.npz"], cwd=folder, check=True)
    outputs = np.load(folder / "out.npz")
    for got, expected in zip((outputs[key] for key in sorted(outputs)), evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(got, expected)
