"""MatMul(x, DequantizeLinear(w)) of float32 computes with x rounded to 8 bits, silently, in ONNX Runtime 1.32.0.

QDQSelectorActionTransformer makes a MatMulNBits of it, with accuracy level 4: x is quantized to int8 in blocks. A
small element beside a large one is lost. The option session.qdq_matmulnbits_accuracy_level is documented, and 4 is its
default. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

W = np.zeros((32, 2), np.int8)
W[0, 1] = W[1, 0] = 1
X = np.zeros((1, 32), np.float32)
X[0, :2] = 1000, 3
GRAPH = helper.make_graph(
    [
        helper.make_node("DequantizeLinear", ["w", "scales"], ["weights"]),
        helper.make_node("MatMul", ["x", "weights"], ["y"]),
    ],
    "product",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
    [numpy_helper.from_array(W, "w"), numpy_helper.from_array(np.ones(2, np.float32), "scales")],
)
MODEL = helper.make_model(GRAPH, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
checker.check_model(MODEL, full_check=True)


def run(disabled, level=""):
    """The result."""
    options = onnxruntime.SessionOptions()
    if level:
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", level)
    session = onnxruntime.InferenceSession(
        MODEL.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    return session.run(None, {"x": X})[0]


print("without QDQSelectorActionTransformer:", run(["QDQSelectorActionTransformer"]))
print("accuracy level 1:                    ", run([], "1"))
given = run([])
print("default:                             ", given)
sys.exit(int(not np.allclose(given, [[3, 1000]], rtol=1e-5)))
