"""A Loop that reads Cast(Cast(x)) from outside does not run in ONNX Runtime 1.32.0 on the CPU, at any level.

The pair of casts, from int32 to double and back, is removed while the Loop's body still asks for its result: "Missing
Input". Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

body = helper.make_graph(
    [
        helper.make_node("Sub", ["state", "back"], ["next"]),
        helper.make_node("Identity", ["going"], ["on"]),
    ],
    "body",
    [
        helper.make_tensor_value_info("turn", TensorProto.INT64, []),
        helper.make_tensor_value_info("going", TensorProto.BOOL, []),
        helper.make_tensor_value_info("state", TensorProto.INT32, [2]),
    ],
    [
        helper.make_tensor_value_info("on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("next", TensorProto.INT32, [2]),
    ],
)
model = helper.make_model(
    helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["wide"], to=TensorProto.DOUBLE),
            helper.make_node("Cast", ["wide"], ["back"], to=TensorProto.INT32),
            helper.make_node("Loop", ["turns", "true", "y"], ["z"], body=body),
        ],
        "loop_behind_casts",
        [helper.make_tensor_value_info(name, TensorProto.INT32, [2]) for name in "xy"],
        [helper.make_tensor_value_info("z", TensorProto.INT32, [2])],
        [
            helper.make_tensor("turns", TensorProto.INT64, [], [3]),
            helper.make_tensor("true", TensorProto.BOOL, [], [True]),
        ],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
)
onnx.checker.check_model(model, full_check=True)
feeds = {"x": np.array([1, 2], np.int32), "y": np.array([7, 7], np.int32)}

options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
print("expected", feeds["y"] - 3 * feeds["x"])
try:
    z = session.run(None, feeds)[0]
except Exception as error:
    print("failed:", str(error)[-60:])
    sys.exit(1)
print("result", z)
sys.exit(0 if np.array_equal(z, feeds["y"] - 3 * feeds["x"]) else 1)
