"""onnxruntime 1.32.0: output 0 of min has shape (2,), not (1,)

An output is not of the type or the shape that the program gives it.
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

x0 = np.array([0, 0], np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, ["n2"])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


B = model([
    helper.make_node("Abs", ["x0"], ["v0"]),
    helper.make_node("Slice", ["v0", "c0", "c2", "", "c1"], ["v1"]),
    helper.make_node("Neg", ["v1"], ["y"]),
], [
    helper.make_tensor("c0", TensorProto.INT64, [1], [0]),
    helper.make_tensor("c1", TensorProto.INT64, [1], [2]),
    helper.make_tensor("c2", TensorProto.INT64, [1], [9223372036854775807]),
])

output = prepare(B, [x0])()[0]
made = np.asarray(output).dtype.name, list(output.shape)
print("min: output 0 is", *made, "and should be float32 [1]")
sys.exit(0 if made == ("float32", [1]) else 1)
