"""onnxruntime 1.32.0: output 0 (float32[1, 1, 1, 1]): original differs from its uncompiled run at 1 of
1 elements ([0, 0, 0, 0]); at [0, 0, 0, 0] it gives -3.4028234663852886e+38, uncompiled nan, in
float64 nan

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

x0 = np.array([[[[np.nan]]]], np.float32)


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
    helper.make_node("GlobalMaxPool", ["x0"], ["y"]),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array([[[[np.nan]]]], np.float64)  # in float64
allowed = 7.67e-06  # twice the error bounds of what is compared

a = output(prepare(A, [x0]))

difference = gap(a, expected)
wrong = difference > allowed
print("A (original):", a.ravel())
print("float64:     ", expected.ravel())
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
