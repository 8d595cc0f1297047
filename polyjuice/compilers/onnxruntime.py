"""ONNX Runtime on the CPU, with all graph optimizations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

FORMAT = "onnx"
NEEDS = "onnxruntime>=1.15: pip install 'polyjuice-fuzzer[onnxruntime]'"

REPRO_IMPORTS = """
import onnxruntime
"""
REPRO = """
def execute(model, inputs):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {v.name: x for v, x in zip(session.get_inputs(), inputs)})
"""

Array = tuple[str, "np.ndarray[Any, Any]"]

_THREADS = 2
_disabled: list[str] = []


def version() -> str:
    """That of ONNX Runtime."""
    return str(onnxruntime.__version__)


def check() -> None:
    """Nothing but ONNX Runtime is needed."""


def start(options: dict[str, Any]) -> None:
    """Take the names of optimizers to switch off, and silence the log. Raises RuntimeError for another device."""
    if options.get("device", "cpu") != "cpu":
        raise RuntimeError("onnxruntime is tested on the CPU alone: use --device cpu")
    _disabled[:] = options.get("disable", [])
    onnxruntime.set_default_logger_severity(4)


def load(artifact: dict[str, Any]) -> bytes:
    """The serialized model, as it is."""
    model: bytes = artifact["source"]
    return model


def compile(program: bytes, inputs: Sequence[Array]) -> onnxruntime.InferenceSession:
    """A session. Raises NotImplementedError where a kernel is missing."""
    if any(dtype == "bfloat16" for dtype, _ in inputs):
        raise NotImplementedError("the Python interface has no bfloat16 arrays")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", _THREADS))
    try:
        return onnxruntime.InferenceSession(
            program, options, providers=["CPUExecutionProvider"], disabled_optimizers=_disabled or None
        )
    except state.NotImplemented as error:
        raise NotImplementedError(str(error)) from error


def run(compiled: onnxruntime.InferenceSession, inputs: Sequence[Array]) -> list[Array]:
    """Run the session. Raises NotImplementedError for a result that the Python interface cannot pass."""
    if any(output.type == "tensor(bfloat16)" for output in compiled.get_outputs()):
        raise NotImplementedError("the Python interface has no bfloat16 arrays")
    feeds = {value.name: array for value, (_, array) in zip(compiled.get_inputs(), inputs)}
    return [(array.dtype.name, array) for array in compiled.run(None, feeds)]


def knobs() -> list[str]:
    """Optimizers that can be switched off by name, in every release since 1.15."""
    return [
        "ConstantFolding",
        "CommonSubexpressionElimination",
        "EliminateIdentity",
        "EliminateSlice",
        "ConvAddFusion",
        "ConvBNFusion",
        "ConvMulFusion",
        "GemmActivationFusion",
        "MatMulAddFusion",
        "MatmulTransposeFusion",
        "ReshapeFusion",
        "TransposeOptimizer",
        "UnsqueezeElimination",
    ]
