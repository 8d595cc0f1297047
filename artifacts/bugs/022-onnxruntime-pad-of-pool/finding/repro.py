"""onnxruntime 1.31.1: min failed in compile: Fail: [ONNXRuntimeError] : 1 : FAIL : Exception during
initialization: /onnxruntime_src/onnxruntime/core/providers/cpu/nn/pool_attributes.h:88
onnxruntime::PoolAttributes::PoolAttributes(const KernelInfoType&, const std::string&, int) [with
KernelInfoType = onnxruntime::OpKernelInfo; std::string = std::__cxx11::basic_string<char>]
pads[dim] < kernel_shape[dim] && pads[dim + kernel_shape.size()] < kernel_shape[dim] was false. Pad
should be smaller than kernel.

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

x0 = np.array([[[[0]]]], np.float32)


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
    helper.make_node("AveragePool", ["v0"], ["y"], kernel_shape=[1, 1], strides=[2, 1], pads=[0, 0, 0, 0], ceil_mode=0, count_include_pad=0),
], [
    helper.make_tensor("c0", TensorProto.INT64, [8], [0, 0, 1, 0, 0, 0, 0, 0]),
    helper.make_tensor("c1", TensorProto.FLOAT, [], [0]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
