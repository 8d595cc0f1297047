"""OpenVINO's CPU plugin behind its frontend for programs that Torch exports."""

from __future__ import annotations

from . import _exported, _torch  # before Torch itself: it sets what OpenMP reads then

# isort: split
import os
import re
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
    if not isinstance(model, torch.nn.Module):  # the exporter takes no functions
        model = type("Model", (torch.nn.Module,), {"forward": staticmethod(model)})()
    with torch.no_grad():
        program = torch.export.export(model, tuple(inputs))
    arguments = dict(zip(program.graph_signature.user_inputs, inputs))
    converted = openvino.convert_model(program)
    names = {name: port for port in converted.inputs for name in port.get_names() if name in arguments}
    converted.reshape({port: list(arguments[name].shape) for name, port in names.items()})
    settings = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY", **without}
    compiled = openvino.Core().compile_model(converted, "CPU", settings)
    feeds = {name: arguments[name].contiguous().numpy() for name in names}

    def call():
        outputs = compiled(feeds)
        return [torch.tensor(outputs[i]) for i in range(len(compiled.outputs))]

    return call
""",
}

version, check = _openvino.version, _openvino.check
load, eager = _exported.load, _torch.eager
run, knobs, trace = _openvino.run, _openvino.knobs, _openvino.trace


# The frontend looks element types up in a table, whose KeyError names the missing one. Some say "do not support".
_UNSUPPORTED = re.compile(rf"{_openvino.UNSUPPORTED.pattern}|do not support|^'torch\.\w+'$", re.IGNORECASE)


def start(options: dict[str, Any]) -> None:
    """Prepare both frameworks."""
    _exported.start(options)
    _openvino.start(options)
    os.environ["CI"] = "true"  # elsewhere OpenVINO reports each conversion to a server


def compile(program: Loaded, inputs: Sequence[Array]) -> _openvino.Compiled:
    """Capture, convert, and compile.

    Raises NotImplementedError where Torch or OpenVINO says that it lacks an operator or an element type.
    """
    captured = _exported.captured(program, inputs)
    names = list(captured.graph_signature.user_inputs)
    shapes = dict(zip(names, (array.shape for _, array in inputs)))
    with _exported.telling(_UNSUPPORTED):
        model = openvino.convert_model(captured)  # which drops some of the inputs that are not read
        model.reshape({port: shapes[name] for port in model.inputs for name in port.get_names() if name in shapes})
    converted = _openvino.Loaded(_openvino.refuse_narrowed(model), names, range(len(model.outputs)), set(names))
    return _openvino.compile(converted, inputs)
