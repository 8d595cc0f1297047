"""onnxruntime 1.31.1: output 0 (float32[2, 2]): original is off by 3.7e+04 times its error bound at 4
of 4 elements ([0, 0], [0, 1], [1, 0], [1, 1]); at [1, 0] it gives -0.784464419, and float64
-0.755928946

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
import onnxruntime
from onnx import TensorProto, helper

x = np.array([[6, -4], [-4, 6]], np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 2])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Pow", ["x", "two"], ["s"]),
    helper.make_node("ReduceMean", ["s", "c0"], ["m"], keepdims=1, noop_with_empty_axes=0),
    helper.make_node("Add", ["m", "e"], ["t"]),
    helper.make_node("Sqrt", ["t"], ["r"]),
    helper.make_node("Div", ["x", "r"], ["q"]),
    helper.make_node("Mul", ["q", "scale"], ["y"]),
], [
    helper.make_tensor("two", TensorProto.FLOAT, [], [2]),
    helper.make_tensor("e", TensorProto.FLOAT, [2, 1], [1, 2]),
    helper.make_tensor("scale", TensorProto.FLOAT, [2], [1, 3]),
    helper.make_tensor("c0", TensorProto.INT64, [1], [1]),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


expected = np.array([[1.1547005383792515, -2.309401076758503], [-0.7559289460184544, 3.4016802570830453]], np.float64)  # in float64
allowed = np.array([[2.45e-06, 4.9e-06], [1.56e-06, 7.04e-06]], np.float64)  # twice the error bounds of what is compared

a = output(prepare(A, [x]))

difference = np.abs(a.astype(np.float64) - expected.astype(np.float64))
wrong = ~(difference <= allowed)  # a NaN is wrong, too
print("A (original):", a.ravel())
print("float64:     ", expected.ravel())
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
