"""Each framework runs artifacts in this process, uncompiled. Tests compare the operator table with the results."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import ml_dtypes
import numpy as np
import pytest

from polyjuice.execution import Artifact
from polyjuice.execution.protocol import from_wire, to_wire
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import Op


def _wired(artifact: Artifact) -> dict[str, Any]:
    return {name: to_wire(np.asarray(array)) for name, array in artifact.arrays.items()}


def _run_source(library: Any, artifact: Artifact, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    arrays = _wired(artifact)
    program = library.load({"source": artifact.source, "arrays": arrays, "setup": dict(artifact.setup)})
    further = [arrays[name] for name in artifact.arguments]
    run = getattr(library, "eager", library.run)
    return [from_wire(array) for array in run(program, [*map(to_wire, inputs), *further])[: artifact.results]]


def run_torch(artifact: Artifact, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """PyTorch eager, in one thread, because more threads would only wait for small tensors."""
    pytest.importorskip("torch").set_num_threads(1)
    from polyjuice.compilers import _torch

    return _run_source(_torch, artifact, inputs)


def run_tensorflow(artifact: Artifact, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    pytest.importorskip("tensorflow")
    from polyjuice.compilers import _tensorflow

    return _run_source(_tensorflow, artifact, inputs)


def run_jax(artifact: Artifact, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    pytest.importorskip("jax").config.update("jax_enable_x64", True)
    from polyjuice.compilers import jax

    program = jax.load({"source": artifact.source, "arrays": _wired(artifact), "setup": dict(artifact.setup)})
    further = [to_wire(artifact.arrays[name]) for name in artifact.arguments]
    return [from_wire(array) for array in jax.eager(program, [*map(to_wire, inputs), *further])[: artifact.results]]


def run_onnx(artifact: Artifact, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """ONNX Runtime with as few optimizations as possible."""
    ort = pytest.importorskip("onnxruntime")
    from polyjuice.compilers import onnxruntime

    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    no_arrays = NotImplementedError("the Python interface of ONNX Runtime has no bfloat16 arrays")
    if any(array.dtype == ml_dtypes.bfloat16 for array in inputs):
        raise no_arrays
    session = ort.InferenceSession(artifact.source, options)
    if any(value.type == "tensor(bfloat16)" for value in session.get_outputs()):
        raise no_arrays
    further = [artifact.arrays[name] for name in artifact.arguments]
    names = [value.name for value in session.get_inputs()]
    compiled = onnxruntime.Compiled(session, names, [], by_address=True)
    if not {t.type for t in (*session.get_inputs(), *session.get_outputs())}.isdisjoint(onnxruntime._onnx_values.BITS):
        arrays = [to_wire(np.asarray(array)) for array in [*inputs, *further]]
        return [from_wire(array) for array in onnxruntime.run(compiled, arrays)[: artifact.results]]
    feeds = {value.name: array for value, array in zip(session.get_inputs(), [*inputs, *further], strict=True)}
    return list(session.run(None, feeds)[: artifact.results])


RUN: dict[str, Callable[[Artifact, Sequence[np.ndarray]], list[np.ndarray]]] = {
    "torch": run_torch,
    "onnx": run_onnx,
    "tensorflow": run_tensorflow,
}


def on_usual_types(op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
    """Whether all formats can express an operator, on types for which frameworks have nearly all kernels.

    Without a compiler to ask, a generator draws other operators, too.
    """
    rare = {*dtypes.NARROW, *dtypes.WIDER_UNSIGNED}
    return op.name not in ("BitCast", "view.dtype", "Unique") and rare.isdisjoint(
        t.dtype for t in (*operands, *results)
    )
