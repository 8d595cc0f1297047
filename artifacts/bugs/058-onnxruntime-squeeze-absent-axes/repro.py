"""Squeeze whose optional `axes` is absent, but named as "", fails in ONNX Runtime 1.32.0 on the CPU.

ONNX says that an optional input at the end may be left out, or be named "": both mean the same. Where it is left out,
the model runs. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a
finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.array([[1, 2, 3]], np.float32)


def run(inputs):
    """Load and run a Squeeze of these inputs; its result."""
    graph = helper.make_graph(
        [helper.make_node("Squeeze", inputs, ["y"])],
        "squeeze",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0]


print("expected          ", X[0])
try:
    print("axes left out     ", run(["x"]))
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    y = run(["x", ""])
except Exception as error:
    print('axes named as ""  ', error)
    sys.exit(1)
print('axes named as ""  ', y)
sys.exit(0 if np.array_equal(y, X[0]) else 1)
