"""Shrink of float64 is computed in single precision by ONNX Runtime 1.32.0 on the CPU: 1e300 becomes inf.

With lambd=0 and bias=0 it is the identity. Exits 1 where the bug shows, 0 where it does not, 2 where this could not
run.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

model = helper.make_model(
    helper.make_graph(
        [helper.make_node("Shrink", ["x"], ["y"], bias=0.0, lambd=0.0)],
        "shrink",
        [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [3])],
        [helper.make_tensor_value_info("y", TensorProto.DOUBLE, [3])],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
).SerializeToString()

x = np.array([0.1, -1.0 / 3.0, 1e300])
(y,) = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": x})
print("expected", x, "got", y)
sys.exit(int(not np.array_equal(x, y)))
