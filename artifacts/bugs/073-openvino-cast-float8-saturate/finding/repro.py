"""openvino 2026.4.1: output 0 (float8e4m3fn[]): original is not even near at its only element; at []
it gives nan, and float64 448

A, compiled, gives other results than in float64.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import onnx
import openvino
import ml_dtypes
from onnx import TensorProto, helper

x0 = np.array(np.inf, np.float32)

TYPES = {"bfloat16": openvino.Type.bf16, "float8_e4m3fn": openvino.Type.f8e4m3, "float8_e5m2": openvino.Type.f8e5m2}


def to_tensor(x):
    if x.dtype.name not in TYPES:
        return openvino.Tensor(x)
    return openvino.Tensor(x.view(f"u{x.itemsize}"), x.shape, TYPES[x.dtype.name])


def to_array(x):
    names = [name for name, type in TYPES.items() if type == x.element_type]
    return x.data.view(getattr(ml_dtypes, names[0])) if names else x.data


def prepare(model, inputs):
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "EXECUTION_MODE_HINT": "ACCURACY"}
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


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT8E4M3FN, [])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Cast", ["x0"], ["y"], to=17),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array(448, np.float64)  # in float64
allowed = 0  # twice the error bounds of what is compared

a = output(prepare(A, [x0]))

difference = np.abs(a.astype(np.float64) - expected.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A (original):", a)
print("float64:     ", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
