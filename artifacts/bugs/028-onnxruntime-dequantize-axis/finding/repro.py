"""onnxruntime 1.31.1: min failed in run: Fail: [ONNXRuntimeError] : 1 : FAIL : Non-zero status code
returned while running DequantizeLinear node. Name:'' Status Message:
/onnxruntime_src/onnxruntime/core/providers/cpu/quantization/quantize_linear.cc:113 void
onnxruntime::PrepareForQDQ(const TensorShape&, const Tensor&, const Tensor*, int64_t, int64_t,
int64_t&, int64_t&, int64_t&) zero_point_ptr == nullptr || (zero_point_ptr->Shape().NumDimensions()
== 1 && zero_point_ptr->Shape()[0] == broadcast_dim) was false. For per axis quantization,
x_zero_point must be null or 1D tensor with size 2

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

x0 = np.array([[0], [0]], np.float32)


def prepare(model, inputs, level="all"):
    options = onnxruntime.SessionOptions()
    name = "ORT_DISABLE_ALL" if level == "disable" else "ORT_ENABLE_" + level.upper()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, name)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feeds = {v.name: x for v, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feeds)


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [2, 1])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("QuantizeLinear", ["x0", "c0", "c1"], ["v0"], axis=1),
    helper.make_node("DequantizeLinear", ["v0", "c2"], ["y"], axis=0),
], [
    helper.make_tensor("c0", TensorProto.FLOAT, [], [0]),
    helper.make_tensor("c1", TensorProto.INT8, [], [0]),
    helper.make_tensor("c2", TensorProto.FLOAT, [2], [0, 0]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
