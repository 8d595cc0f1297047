"""A Gemm of two transposed matrices does not load if one is also an output, in ONNX Runtime 1.31.1 on the CPU.

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

X = np.array([[1], [2]], np.float32)
W = np.array([[1, 2], [3, 4]], np.float32)


def run(**options):
    graph = helper.make_graph(
        [
            helper.make_node("Transpose", ["x"], ["xt"], perm=[1, 0]),
            helper.make_node("Transpose", ["w"], ["wt"], perm=[1, 0]),
            helper.make_node("Gemm", ["xt", "wt"], ["y"]),
        ],
        "minimal",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 1]),
            helper.make_tensor_value_info("w", TensorProto.FLOAT, [2, 2]),
        ],
        [
            helper.make_tensor_value_info("xt", TensorProto.FLOAT, [1, 2]),
            helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], **options)
    return [output.tolist() for output in session.run(None, {"x": X, "w": W})]


try:
    print("without GemmTransposeFusion", run(disabled_optimizers=["GemmTransposeFusion"]))
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    print("with it", run())
except Exception as error:
    print("with it", error)
    sys.exit(1)
