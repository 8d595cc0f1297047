"""Torch's exporter to ONNX. ONNX Runtime runs what it makes, without optimizations of its own."""

from __future__ import annotations

from . import _exported, _torch  # before Torch itself: it sets what OpenMP reads then

# isort: split
import functools
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import onnxruntime
import onnxscript
import torch

from . import _onnx_values
from ._torch import Array, Loaded

INFO: dict[str, Any] = {
    "format": "torch",
    "needs": "torch>=2.6, onnxscript>=0.5 and onnxruntime: pip install 'polyjuice-fuzzer[torch-onnx]'",
    "levels": ["converted", "optimized"],
    "traced": 1,
    "nodes": 20,
    "pack": 8,
    "lacks": ["settings", "memory"],
    # Torch leaves open which of equal elements comes first, and compilers sort otherwise.
    "edge_policies": {
        "TopK": "https://docs.pytorch.org/docs/stable/generated/torch.topk.html",
        "aten.sort": "https://docs.pytorch.org/docs/stable/generated/torch.sort.html",
        "aten.argsort": "https://docs.pytorch.org/docs/stable/generated/torch.argsort.html",
        # By its definition x - floor(x / y) * y, which is what the exporter writes, the remainder of -0.0 is 0.0.
        "aten.remainder.Scalar": "https://docs.pytorch.org/docs/stable/generated/torch.remainder.html",
    },
    "repro_imports": """
import onnxruntime
import torch
import torch.nn.functional as F
""",
    "repro": """
def prepare(model, inputs, level="optimized"):
    if not isinstance(model, torch.nn.Module):  # the exporter takes no functions
        model = type("Model", (torch.nn.Module,), {"forward": staticmethod(model)})()
    with torch.no_grad():
        exported = torch.onnx.export(model, tuple(inputs), dynamo=True, optimize=level == "optimized", verbose=False)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(exported.model_proto.SerializeToString(), options)
    feeds = {value.name: x.numpy() for value, x in zip(session.get_inputs(), inputs)}
    return lambda: [torch.tensor(x) for x in session.run(None, feeds)]
""",
}

_UNSUPPORTED = re.compile("No ONNX function found|No decompositions registered")
_NO_KERNEL = re.compile("NOT_IMPLEMENTED|is not supported|does not support|mode only supports")
"""Parts of the errors of ONNX Runtime on types or attributes for which it has no kernel."""

_optimize = True
_settings = onnxruntime.SessionOptions()
_OPTIMIZE = "optimize"


class Compiled(NamedTuple):
    """A session of ONNX Runtime, and the operators of the model."""

    session: onnxruntime.InferenceSession
    operators: list[str]


load, eager = _exported.load, _torch.eager


def version() -> str:
    """Torch's version, and that of ONNX Script, which has most of the exporter, as the name of the build."""
    build = torch.__version__ if "+" in torch.__version__ else f"{torch.__version__}+release"
    return f"{build}.onnxscript.{onnxscript.__version__}"


def check() -> None:
    """Nothing to check: only the imported packages are needed."""


def start(options: dict[str, Any]) -> None:
    """Set whether the exporter optimizes. Raises RuntimeError where there is no such level."""
    global _optimize
    level = options.get("level", "optimized")
    if level not in INFO["levels"]:
        raise RuntimeError(f"torch-onnx has no level {level!r}: choose from {', '.join(INFO['levels'])}")
    _exported.start(options)
    _optimize = level == "optimized" and _OPTIMIZE not in options.get("disable", ())
    _settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    _settings.intra_op_num_threads = _settings.inter_op_num_threads = 1
    onnxruntime.set_default_logger_severity(4)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    _share_registry()


def _share_registry() -> None:
    """Build the table of ONNX functions once, which takes longer than an export and is the same for each."""
    try:
        from torch.onnx._internal.exporter import _registration

        registry: Any = _registration.ONNXRegistry
        registry.from_torchlib = staticmethod(functools.lru_cache(maxsize=1)(registry.from_torchlib))
    except (ImportError, AttributeError):  # another release, which is slower
        pass


def compile(program: Loaded, inputs: Sequence[Array]) -> Compiled:
    """Export, and create a session.

    Raises NotImplementedError where Torch says that it lacks an operator, and where ONNX Runtime lacks a kernel.
    """
    captured = _exported.captured(program, inputs)
    with _exported.telling(_UNSUPPORTED), _causes(), torch.no_grad():
        exported = torch.onnx.export(captured, dynamo=True, optimize=_optimize, verbose=False)
    assert exported is not None  # as it would be if it went to a file
    model = exported.model_proto
    with _exported.telling(_NO_KERNEL):
        session = onnxruntime.InferenceSession(model.SerializeToString(), _settings, providers=["CPUExecutionProvider"])
    if "tensor(bfloat16)" in [value.type for value in [*session.get_inputs(), *session.get_outputs()]]:
        raise NotImplementedError("the Python interface has no bfloat16 arrays")
    return Compiled(session, [f"operator {node.op_type}" for node in model.graph.node])


@contextmanager
def _causes() -> Iterator[None]:
    """Raise the cause of an exporter's error instead: the error itself says only which step failed."""
    try:
        yield
    except torch.onnx.errors.OnnxExporterError as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        raise cause from None


def run(compiled: Compiled, inputs: Sequence[Array]) -> list[Array]:
    """Run the session. Raises NotImplementedError where a kernel says that it does not support the request."""
    names = [value.name for value in compiled.session.get_inputs()]
    values = {name: _onnx_values.value(*array) for name, array in zip(names, inputs)}
    with _exported.telling(_NO_KERNEL):
        return [_onnx_values.array(value) for value in compiled.session.run_with_ort_values(None, values)]


def knobs() -> list[str]:
    """The optimizer of the exporter."""
    return [_OPTIMIZE]


def trace(compiled: Compiled) -> list[str]:
    """The operators of the model."""
    return compiled.operators
