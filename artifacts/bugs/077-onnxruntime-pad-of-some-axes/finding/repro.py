"""onnxruntime 1.32.0: max failed in run: InvalidArgument: [ONNXRuntimeError] : 2 : INVALID_ARGUMENT :
Non-zero status code returned while running Gather node. Name:'Gather' Status Message: indices
element out of data bounds, idx=2 must be within the inclusive range [-2,1]

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

x0 = np.array([[[[0]], [[0]], [[0]]]], np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [1, 3, 1, 1])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 0, 1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Transpose", ["x0"], ["v0"], perm=[2, 0, 1, 3]),
    helper.make_node("Pad", ["v0", "c2", "c1", "c3"], ["v1"], mode="constant"),
    helper.make_node("Transpose", ["v1"], ["y"], perm=[0, 1, 2, 3]),
], [
    helper.make_tensor("c0", TensorProto.INT64, [8], [0, 0, -1, 0, 0, 0, -2, 0]),
    helper.make_tensor("c1", TensorProto.FLOAT, [], [0]),
    helper.make_tensor("c2", TensorProto.INT64, [2], [-1, -2]),
    helper.make_tensor("c3", TensorProto.INT64, [1], [2]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
