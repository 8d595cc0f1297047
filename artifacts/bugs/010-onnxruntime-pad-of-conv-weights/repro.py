"""Conv(x, Pad(w)) cannot be loaded by ONNX Runtime 1.32.0 on the CPU: Pad_Fusion drops a Pad in front of the weights.

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
        [helper.make_node("Pad", ["w", "pads"], ["padded"]), helper.make_node("Conv", ["x", "padded"], ["y"])],
        "convolution_with_padded_weights",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 7, 7]),
            helper.make_tensor_value_info("w", TensorProto.FLOAT, [1, 1, 2, 2]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1, 4, 4])],
        [helper.make_tensor("pads", TensorProto.INT64, [8], [0, 0, 1, 1, 0, 0, 1, 1])],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
).SerializeToString()
feeds = {
    "x": np.arange(49, dtype=np.float32).reshape(1, 1, 7, 7),
    "w": np.array([[[[1, 2], [3, 4]]]], np.float32),
}


def run(disabled):
    try:
        session = onnxruntime.InferenceSession(
            model, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
        return session.run(None, feeds)[0].ravel()
    except Exception as error:
        return str(error)


fused, plain = run([]), run(["Pad_Fusion"])
print("all optimizations ", fused)
print("without Pad_Fusion", plain)
sys.exit(1 if isinstance(fused, str) else 0)
