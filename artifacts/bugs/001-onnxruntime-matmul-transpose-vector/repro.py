"""Transpose(x) @ v with a vector v is wrong in ONNX Runtime 1.32.0 on the CPU: MatmulTransposeFusion.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
        [
            helper.make_node("Transpose", ["x"], ["t"], perm=[1, 0]),
            helper.make_node("MatMul", ["t", "v"], ["y"]),
        ],
        "transpose_times_vector",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 3]),
            helper.make_tensor_value_info("v", TensorProto.FLOAT, [4]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
).SerializeToString()
feeds = {"x": np.arange(12, dtype=np.float32).reshape(4, 3), "v": np.array([1, 2, 3, 4], np.float32)}


def run(**options):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], **options)
    return session.run(None, feeds)[0]


print("expected                     ", feeds["x"].T @ feeds["v"])
print("all optimizations            ", run())
print("without MatmulTransposeFusion", run(disabled_optimizers=["MatmulTransposeFusion"]))
sys.exit(0 if np.array_equal(run(), feeds["x"].T @ feeds["v"]) else 1)
