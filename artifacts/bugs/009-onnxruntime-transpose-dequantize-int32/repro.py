"""Transpose(DequantizeLinear(x)) of int32 saturates to the range of uint8 in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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

nodes = [
    helper.make_node("DequantizeLinear", ["x", "scale"], ["real"]),
    helper.make_node("Transpose", ["real"], ["y"], perm=[1, 0]),
]
graph = helper.make_graph(
    nodes,
    "minimal",
    [helper.make_tensor_value_info("x", TensorProto.INT32, [2, 2])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2])],
    [helper.make_tensor("scale", TensorProto.FLOAT, [], [3.0])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
onnx.checker.check_model(model)
x = np.array([[-1, 1000], [2, -300]], np.int32)


def run(disabled: list[str]) -> np.ndarray:
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    return session.run(None, {"x": x})[0].ravel()


print("expected                         ", (3.0 * x.T).ravel())
print("all optimizations                ", run([]))
print("without QDQPropagationTransformer", run(["QDQPropagationTransformer"]))
sys.exit(0 if np.array_equal(run([]), (3.0 * x.T).ravel()) else 1)
