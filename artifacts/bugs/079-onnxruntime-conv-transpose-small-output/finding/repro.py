"""onnxruntime 1.32.0: original failed in compile: Fail: [ONNXRuntimeError] : 1 : FAIL : Node () Op
(Transpose) [TypeInferenceError] Invalid attribute perm {2, 3, 4, 0, 1}, input shape = {1, 1, 3}

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

x0 = np.full((1, 1, 3, 2, 4), 0, np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [1, 1, 3, 2, 4])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("ConvTranspose", ["x0", "c0"], ["v0"], strides=[2, 1, 3], output_padding=[0, 0, 1], dilations=[1, 1, 1], group=1, output_shape=[3, 1, 12]),
    helper.make_node("Transpose", ["v0"], ["d0"], perm=[2, 3, 4, 0, 1]),
    helper.make_node("Transpose", ["c1"], ["d1"], perm=[1, 2, 0]),
    helper.make_node("Reshape", ["d0", "c2"], ["d2"], allowzero=0),
    helper.make_node("Reshape", ["d1", "c3"], ["d3"], allowzero=0),
    helper.make_node("MatMul", ["d2", "d3"], ["d4"]),
    helper.make_node("Reshape", ["d4", "c4"], ["y"], allowzero=0),
], [
    helper.make_tensor("c0", TensorProto.FLOAT, [1, 1, 1, 2, 2], [0, 0, 0, 0]),
    helper.make_tensor("c1", TensorProto.FLOAT, [1, 12, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    helper.make_tensor("c2", TensorProto.INT64, [2], [3, 12]),
    helper.make_tensor("c3", TensorProto.INT64, [2], [12, 1]),
    helper.make_tensor("c4", TensorProto.INT64, [2], [3, 1]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
