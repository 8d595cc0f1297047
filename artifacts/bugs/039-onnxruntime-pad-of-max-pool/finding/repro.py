"""onnxruntime 1.31.1: output 0 (float32[1, 1, 1, 1]) differs: min is off by 1 where the result is
exact at 1 of 1 elements ([0, 0, 0, 0]); at [0, 0, 0, 0] it gives -1, and float64 0; max gives 0.0

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

x0 = np.array([[[[-1]]]], np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [1, 1, 1, 1])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 1, 1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Pad", ["x0", "c0", "c1"], ["v0"], mode="constant"),
    helper.make_node("MaxPool", ["v0"], ["y"], kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0),
], [
    helper.make_tensor("c0", TensorProto.INT64, [8], [0, 0, 0, 0, 0, 0, 1, 1]),
    helper.make_tensor("c1", TensorProto.FLOAT, [], [0]),
])

B = model([
    helper.make_node("Pad", ["x0", "c0", "c1"], ["v0"], mode="constant"),
    helper.make_node("Transpose", ["v0"], ["v1"], perm=[0, 1, 3, 2]),
    helper.make_node("MaxPool", ["v1"], ["y"], kernel_shape=[2, 2], strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0),
], [
    helper.make_tensor("c0", TensorProto.INT64, [8], [0, 0, 0, 0, 0, 0, 1, 1]),
    helper.make_tensor("c1", TensorProto.FLOAT, [], [0]),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array([[[[0]]]], np.float64)  # in float64
allowed = 0  # the values are exact

a = output(prepare(A, [x0]))
b = output(prepare(B, [x0]))

difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A (min):", a.ravel())
print("B (max):", b.ravel())
print("float64:", expected.ravel())
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
