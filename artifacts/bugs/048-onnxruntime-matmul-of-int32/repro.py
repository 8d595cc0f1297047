"""A product of two dequantized matrices of int32 does not load, in ONNX Runtime 1.31.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.array([[1, 2], [3, 4]], np.int32)


def run(**options):
    graph = helper.make_graph(
        [
            helper.make_node("DequantizeLinear", ["x", "scale"], ["a"]),
            helper.make_node("DequantizeLinear", ["y", "scale"], ["b"]),
            helper.make_node("MatMul", ["a", "b"], ["product"]),
        ],
        "minimal",
        [
            helper.make_tensor_value_info("x", TensorProto.INT32, [2, 2]),
            helper.make_tensor_value_info("y", TensorProto.INT32, [2, 2]),
        ],
        [
            helper.make_tensor_value_info("product", TensorProto.FLOAT, [2, 2]),
        ],
        [helper.make_tensor("scale", TensorProto.FLOAT, [], [2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], **options)
    return [output.tolist() for output in session.run(None, {"x": X, "y": X})]


try:
    print("without QDQSelectorActionTransformer", run(disabled_optimizers=["QDQSelectorActionTransformer"]))
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    print("with it", run())
except Exception as error:
    print("with it", error)
    sys.exit(1)
