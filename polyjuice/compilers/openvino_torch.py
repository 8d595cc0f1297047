"""OpenVINO's CPU plugin behind its frontend for programs that Torch exports."""

from __future__ import annotations

from . import _exported, _torch  # before Torch itself: it sets what OpenMP reads then

# isort: split
from collections.abc import Sequence
from typing import Any

import openvino

from . import _openvino
from ._torch import Array, Loaded

INFO: dict[str, Any] = {
    "traced": 8,
    "format": "torch",
    "needs": "openvino>=2024.0 and torch>=2.6: pip install 'polyjuice-fuzzer[openvino-torch]'",
    "targets": "openvino",
    "broad": ["SNIPPETS_MODE", "LP_TRANSFORMS_MODE", "avx"],
    "switched": {"SNIPPETS_MODE": "DISABLE", "LP_TRANSFORMS_MODE": "NO"},
    "conditions": {"avx": "with `ONEDNN_MAX_CPU_ISA=SSE41`"},
    "lacks": ["settings", "memory"],
    # As in openvino.py: the plugin documents that it computes these in float32 and int32.
    "excess_precision": ["float16", "bfloat16"],
    "narrowed": ["int64"],
    "edge_policies": {
        "ArgMax": "https://github.com/openvinotoolkit/openvino/issues/33626",
        "ArgMin": "https://github.com/openvinotoolkit/openvino/issues/33626",
        # Torch leaves open which of equal elements comes first.
        "TopK": "https://docs.pytorch.org/docs/stable/generated/torch.topk.html",
        "aten.sort": "https://docs.pytorch.org/docs/stable/generated/torch.sort.html",
        "aten.argsort": "https://docs.pytorch.org/docs/stable/generated/torch.argsort.html",
    },
    "repro_imports": """
import openvino
import torch
import torch.nn.functional as F
""",
    "repro": """
def prepare(model, inputs, without={}):
    with torch.no_grad():
        program = torch.export.export(model, tuple(inputs))
    converted = openvino.convert_model(program, input=[tuple(x.shape) for x in inputs])
    settings = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY", **without}
    compiled = openvino.Core().compile_model(converted, "CPU", settings)
    feeds = {i: x.contiguous().numpy() for i, x in enumerate(inputs)}

    def call():
        outputs = compiled(feeds)
        return [torch.tensor(outputs[i]) for i in range(len(compiled.outputs))]

    return call
""",
}

version, check = _openvino.version, _openvino.check
load, eager = _exported.load, _torch.eager
run, knobs, trace = _openvino.run, _openvino.knobs, _openvino.trace


def start(options: dict[str, Any]) -> None:
    """Prepare both frameworks."""
    _exported.start(options)
    _openvino.start(options)


def compile(program: Loaded, inputs: Sequence[Array]) -> _openvino.Compiled:
    """Capture, convert, and compile.

    Raises NotImplementedError where Torch or OpenVINO says that it lacks an operator or an element type.
    """
    captured = _exported.captured(program, inputs)
    with _exported.telling(_openvino.UNSUPPORTED):
        model = openvino.convert_model(captured, input=[array.shape for _, array in inputs])
    names = list(captured.graph_signature.user_inputs)
    converted = _openvino.Loaded(_openvino.refuse_narrowed(model), names, range(len(model.outputs)), set(names))
    return _openvino.compile(converted, inputs)
