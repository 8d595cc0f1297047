"""Mul(Mul(1, x), Div(1, y)) cannot be loaded by ONNX Runtime 1.32.0 on the CPU where x is computed.

NoopElimination takes Mul(1, x) away, and DivMulFusion divides what is no more by y. Exits 1 where the bug shows, 0
where it does not, 2 where this could not run. Reduced by hand from a finding.
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
            helper.make_node("Neg", ["x"], ["computed"]),
            helper.make_node("Mul", ["one", "computed"], ["same"]),
            helper.make_node("Div", ["one", "y"], ["reciprocal"]),
            helper.make_node("Mul", ["same", "reciprocal"], ["z"]),
        ],
        "quotient",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in "xy"],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [3])],
        [helper.make_tensor("one", TensorProto.FLOAT, [], [1.0])],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
).SerializeToString()
feeds = {"x": np.array([1, 2, 3], np.float32), "y": np.array([2, 4, 8], np.float32)}


def run(disabled):
    try:
        session = onnxruntime.InferenceSession(
            model, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
        return session.run(None, feeds)[0]
    except Exception as error:
        return str(error)


fused = run([])
print("all optimizations      ", fused)
print("without DivMulFusion   ", run(["DivMulFusion"]))
print("without NoopElimination", run(["NoopElimination"]))
sys.exit(1 if isinstance(fused, str) else 0)
