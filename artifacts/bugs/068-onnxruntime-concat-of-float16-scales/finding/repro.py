"""onnxruntime 1.32.0: original failed in compile: InvalidGraph: [ONNXRuntimeError] : 10 :
INVALID_GRAPH : This is an invalid model. Type Error: Type 'tensor(float16)' of input parameter (c1)
of operator (QLinearConcat) in node () is invalid.

A does not compile and run.
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
import onnxruntime
from onnx import TensorProto, helper

x0 = np.array([0], np.int8)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.INT8, [1])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.INT8, [1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    return made.SerializeToString()


A = model([
    helper.make_node("DequantizeLinear", ["x0", "c0"], ["v0"], axis=1),
    helper.make_node("Concat", ["v0"], ["v1"], axis=-1),
    helper.make_node("QuantizeLinear", ["v1", "c1", "c2"], ["y"], axis=1),
], [
    helper.make_tensor("c0", TensorProto.FLOAT, [], [0]),
    helper.make_tensor("c1", TensorProto.FLOAT16, [], [0]),
    helper.make_tensor("c2", TensorProto.INT8, [], [0]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
