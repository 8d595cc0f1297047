"""onnxruntime 1.32.0: original failed in run: Fail: [ONNXRuntimeError] : 1 : FAIL : Non-zero status
code returned while running Pad node. Name:'' Status Message: Unexpected mode of 3

A does not compile and run.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys
from pathlib import Path


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

ARRAYS = np.load(Path(__file__).with_name("inputs.npz"))

x0 = ARRAYS["input_0"]


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [0, 8, 12, 12])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [0, 8, 12, 12])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Pad", ["x0", "c0", "c1"], ["y"], mode="wrap"),
], [
    helper.make_tensor("c0", TensorProto.INT64, [8], [0, 0, 0, 0, 0, 0, 0, 0]),
    helper.make_tensor("c1", TensorProto.FLOAT, [], [0]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
