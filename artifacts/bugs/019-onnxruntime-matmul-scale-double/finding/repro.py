"""onnxruntime 1.31.1: output 0 (float64[1]) differs: min is off by 9.2e+06 times its error bound at 1
of 1 elements ([0]); at [0] it gives 0.999999987, and float64 1; max gives 1.0

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

x0 = np.array([2], np.float64)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.DOUBLE, [1])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.DOUBLE, [1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Log", ["x0"], ["d0"]),
    helper.make_node("Div", ["d0", "d1"], ["v0"]),
    helper.make_node("MatMul", ["v0", "c0"], ["y"]),
], [
    helper.make_tensor("c0", TensorProto.DOUBLE, [1, 1], [1]),
    helper.make_tensor("d1", TensorProto.DOUBLE, [], [0.6931471805599453]),
])

B = model([
    helper.make_node("Log", ["x0"], ["d0"]),
    helper.make_node("Div", ["d0", "d1"], ["y"]),
], [
    helper.make_tensor("d1", TensorProto.DOUBLE, [], [0.6931471805599453]),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array([1], np.float64)  # in float64
allowed = 5.58e-15  # twice the error bounds of what is compared

a = output(prepare(A, [x0]))
b = output(prepare(B, [x0]))

difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A (min):", a)
print("B (max):", b)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
