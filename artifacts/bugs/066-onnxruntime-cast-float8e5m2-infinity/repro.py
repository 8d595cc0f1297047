"""Cast to float8e5m2 without saturation gives NaN for an infinity in ONNX Runtime 1.32.0 on the CPU, silently.

ONNX says of `saturate=0`: what is rounded to more than the largest number, 57344, is an infinity. So it is from 65536
on; from 61440 on, half a step above the largest number, it is NaN. `Float8E5M2(float, bool)` in float8.h sets the bits of
an infinity (0x7C) beside those of the largest number (0x7B), which together are those of NaN (0x7F).
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

graph = helper.make_graph(
    [
        helper.make_node("Cast", ["x"], ["narrow"], to=TensorProto.FLOAT8E5M2, saturate=0),
        helper.make_node("Cast", ["narrow"], ["y"], to=TensorProto.FLOAT),
    ],
    "cast",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
checker.check_model(model, full_check=True)
x = np.array([61439, 61440, 65535, -65535, 65536], np.float32)
due = np.array([57344, np.inf, np.inf, -np.inf, np.inf], np.float32)


def run(level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


levels = onnxruntime.GraphOptimizationLevel
given = run(levels.ORT_ENABLE_ALL)
print("x                 ", x)
print("due               ", due)
print("without optimizing", run(levels.ORT_DISABLE_ALL))
print("all optimizations ", given)
sys.exit(0 if np.array_equal(given, due) else 1)
