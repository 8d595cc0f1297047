"""Clip(Relu(x)) of int32 cannot be loaded by ONNX Runtime 1.32.0 on the CPU: FuseReluClip.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

model = helper.make_model(
    helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Clip", ["r", "low", "high"], ["y"])],
        "relu_clip",
        [helper.make_tensor_value_info("x", TensorProto.INT32, [3])],
        [helper.make_tensor_value_info("y", TensorProto.INT32, [3])],
        [numpy_helper.from_array(np.array(v, np.int32), name) for v, name in ((-2, "low"), (2, "high"))],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
).SerializeToString()


def run(level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.array([-1, 1, 5], np.int32)})[0]


print("no optimizations ", run(onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL))
try:
    print("all optimizations", run(onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL))
except Exception as error:
    print("all optimizations", error)
    sys.exit(1)
