"""OpenVINO's CPU plugin behind its ONNX frontend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import onnx
import openvino

from . import _openvino

INFO: dict[str, Any] = {
    "traced": 8,
    "format": "onnx",
    "needs": "openvino>=2024.0 and onnx: pip install 'polyjuice-fuzzer[openvino]'",
    "broad": ["SNIPPETS_MODE", "LP_TRANSFORMS_MODE", "avx"],
    "switched": {"SNIPPETS_MODE": "DISABLE", "LP_TRANSFORMS_MODE": "NO"},
    "conditions": {"avx": "with `ONEDNN_MAX_CPU_ISA=SSE41`"},
    "lacks": ["functions", "com.microsoft"],
    # The CPU plugin computes models of half types in float32, its documented inference precision.
    "excess_precision": ["float16", "bfloat16"],
    # The CPU plugin computes 64-bit integers in int32, the only integer type of its list of supported precisions:
    # https://docs.openvino.ai/2024/openvino-workflow/running-inference/inference-devices-and-modes/cpu-device.html
    "narrowed": ["int64"],
    "edge_policies": {
        "ArgMax": "https://github.com/openvinotoolkit/openvino/issues/33626",
        "ArgMin": "https://github.com/openvinotoolkit/openvino/issues/33626",
        "TopK": "https://github.com/openvinotoolkit/openvino/issues/33626",
    },
    "repro_imports": """
import onnx
import openvino
""",
    "repro_call": 'openvino.compile_model(openvino.Core().read_model($model), "CPU", '
    '{"INFERENCE_PRECISION_HINT": "f32"})($feeds)',
    "repro": """
TYPES = {"bfloat16": openvino.Type.bf16, "float8_e4m3fn": openvino.Type.f8e4m3, "float8_e5m2": openvino.Type.f8e5m2}


def to_tensor(x):
    if x.dtype.name not in TYPES:
        return openvino.Tensor(x)
    return openvino.Tensor(x.view(f"u{x.itemsize}"), x.shape, TYPES[x.dtype.name])


def to_array(x):
    names = [name for name, type in TYPES.items() if type == x.element_type]
    return x.data.view(getattr(ml_dtypes, names[0])) if names else x.data


def prepare(model, inputs, without={}):
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY", **without}
    compiled = core.compile_model(core.read_model(model), "CPU", settings)
    graph = onnx.load_from_string(model).graph
    names = [value.name for value in graph.input]
    ports = {name: port for port in compiled.inputs for name in port.names}
    # The importer may rename an input (not the order of those that are used), and drops one that no node reads.
    read = {name for node in graph.node for name in node.input}
    renamed = (port for port in compiled.inputs if not port.names & set(names))
    ports.update(zip((name for name in names if name in read and name not in ports), renamed))
    request = compiled.create_infer_request()
    for name, x in zip(names, inputs):
        if name in ports:
            request.set_tensor(ports[name], to_tensor(x))

    def call():
        request.infer()
        return [to_array(request.get_tensor(value.name)) for value in graph.output]

    return call
""",
}

version, check, start = _openvino.version, _openvino.check, _openvino.start
compile, run, knobs, trace = _openvino.compile, _openvino.run, _openvino.knobs, _openvino.trace


def load(artifact: dict[str, Any]) -> _openvino.Loaded:
    """The model in OpenVINO's own operators. Any error here means that the frontend does not support the model."""
    model = _openvino.refuse_narrowed(openvino.Core().read_model(artifact["source"]))
    graph = onnx.load_from_string(artifact["source"]).graph
    inputs, outputs = ([value.name for value in values] for values in (graph.input, graph.output))
    return _openvino.Loaded(model, inputs, outputs, set(_read(graph)))


def _read(graph: onnx.GraphProto) -> Iterator[str]:
    for node in graph.node:
        yield from node.input
        for attribute in node.attribute:
            yield from _read(attribute.g)
