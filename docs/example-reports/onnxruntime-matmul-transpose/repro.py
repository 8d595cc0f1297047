"""onnxruntime 1.32.0: output 0 (float32[2]) differs: A is off by 1 where the result is exact at 1 of 2
elements ([0]); at [0] it gives 0, and float64 1; B gives 1.0

A and B compute the same. Compiled, they do not.
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

x0 = np.array([[0, 0], [0, 0], [0, 0], [1, 0]], np.float32)
x1 = np.array([0, 0, 0, 1], np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [4, 2]), helper.make_tensor_value_info("x1", TensorProto.FLOAT, [4])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Transpose", ["x0"], ["v0"], perm=[1, 0]),
    helper.make_node("MatMul", ["v0", "x1"], ["y"]),
])

B = model([
    helper.make_node("Transpose", ["x0"], ["v0"], perm=[1, 0]),
    helper.make_node("Slice", ["v0", "c0", "c1", "c2", "c2"], ["v1"]),
    helper.make_node("MatMul", ["v1", "x1"], ["y"]),
], [
    helper.make_tensor("c0", TensorProto.INT64, [1], [0]),
    helper.make_tensor("c1", TensorProto.INT64, [1], [4]),
    helper.make_tensor("c2", TensorProto.INT64, [1], [1]),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array([1, 0], np.float64)  # in float64
allowed = 0  # the values are exact

a = output(prepare(A, [x0, x1]))
b = output(prepare(B, [x0, x1]))

difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A:      ", a)
print("B:      ", b)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
