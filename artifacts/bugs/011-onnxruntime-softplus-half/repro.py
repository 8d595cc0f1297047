"""Softplus of float16 is inf from 89 on in ONNX Runtime 1.32.0 on the CPU: softplus(100) is inf.

Of float64 it is inf from 710 on. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

x = np.array([5, 11, 12, 100, 1280], np.float32)


def run(element, dtype):
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Softplus", ["x"], ["y"])],
            "softplus",
            [helper.make_tensor_value_info("x", element, x.shape)],
            [helper.make_tensor_value_info("y", element, x.shape)],
        ),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x.astype(dtype)})[0]


half = run(TensorProto.FLOAT16, np.float16)
print("expected", np.logaddexp(x, 0))
print("float32 ", run(TensorProto.FLOAT, np.float32))
print("float16 ", half)
sys.exit(0 if np.all(np.isfinite(half)) else 1)
