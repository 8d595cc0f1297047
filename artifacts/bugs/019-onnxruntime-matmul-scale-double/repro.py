"""MatMul(x * 0.1, y) of float64 is right to seven digits only in ONNX Runtime 1.31.1 on the CPU.

MatMulScaleFusion makes it a FusedMatMul, whose attribute alpha is a float of 32 bits: 0.1 becomes
0.10000000149011612. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand
from a finding.
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
    helper.make_node("Mul", ["x", "factor"], ["scaled"]),
    helper.make_node("MatMul", ["scaled", "y"], ["z"]),
]
graph = helper.make_graph(
    nodes,
    "minimal",
    [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [2, 2]) for name in "xy"],
    [helper.make_tensor_value_info("z", TensorProto.DOUBLE, [2, 2])],
    [helper.make_tensor("factor", TensorProto.DOUBLE, [], [0.1])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
onnx.checker.check_model(model)
x = np.eye(2)


def run(disabled: list[str]) -> np.ndarray:
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    return session.run(None, {"x": x, "y": x})[0]


print("expected                 ", 0.1 * x.ravel())
print("all optimizations        ", run([]).ravel() + 0.0)
print("without MatMulScaleFusion", run(["MatMulScaleFusion"]).ravel() + 0.0)
print("greatest error           ", abs(run([]) - 0.1 * x).max())
sys.exit(0 if np.allclose(run([]), 0.1 * x, rtol=1e-12, atol=0) else 1)
