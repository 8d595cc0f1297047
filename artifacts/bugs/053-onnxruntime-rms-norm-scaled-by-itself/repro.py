"""x * (x / sqrt(mean(x * x) + e)) of a vector x cannot be loaded by ONNX Runtime 1.32.0 on the CPU.

SimplifiedLayerNormFusion takes the quotient, which it removes, for the scale of the normalization, and the model is left
with a node whose input is gone; with the operands of the product exchanged it loads. Exits 1 where the bug shows, 0
where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.array([1, 2, 3], np.float32)


def run(product, **options):
    """Load and run the model whose last node is Mul of these two; its result."""
    constants = {"two": np.float32(2), "epsilon": np.float32(0.0625), "last": np.array([-1])}
    graph = helper.make_graph(
        [
            helper.make_node("Pow", ["x", "two"], ["square"]),
            helper.make_node("ReduceMean", ["square", "last"], ["mean"]),
            helper.make_node("Add", ["mean", "epsilon"], ["sum"]),
            helper.make_node("Sqrt", ["sum"], ["root"]),
            helper.make_node("Div", ["x", "root"], ["quotient"]),
            helper.make_node("Mul", product, ["y"]),
        ],
        "scaled_by_itself",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, X.shape)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], **options)
    return session.run(None, {"x": X})[0]


exact = X * (X / np.sqrt(np.mean(X.astype(np.float64) ** 2) + 0.0625))
print("float64                               ", exact)
try:
    print("quotient * x                          ", run(["quotient", "x"]))
    fused = ["SimplifiedLayerNormFusion"]
    print("x * quotient, without that optimizer  ", run(["x", "quotient"], disabled_optimizers=fused))
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    y = run(["x", "quotient"])
except Exception as error:
    print("x * quotient", error)
    sys.exit(1)
print("x * quotient                          ", y)
sys.exit(0 if np.allclose(y, exact) else 1)
