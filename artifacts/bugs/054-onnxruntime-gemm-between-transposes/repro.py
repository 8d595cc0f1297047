"""Transpose(Gemm(Transpose(x), w)) cannot be loaded by ONNX Runtime 1.32.0 on the CPU where the Gemm is an output, too.

GemmTransposeFusion makes one operator of the three, and nothing gives the output any more. Exits 1 where the bug shows,
0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.array([[1, 2], [3, 4]], np.float32)


def run(**options):
    """Load and run the model; its two outputs."""
    graph = helper.make_graph(
        [
            helper.make_node("Transpose", ["x"], ["turned"], perm=[1, 0]),
            helper.make_node("Gemm", ["turned", "w"], ["product"]),
            helper.make_node("Transpose", ["product"], ["y"], perm=[1, 0]),
        ],
        "gemm_between_transposes",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("x", "w")],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("y", "product")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], **options)
    return [output.tolist() for output in session.run(None, {"x": X, "w": X})]


exact = [(X.T @ X).T.tolist(), (X.T @ X).tolist()]
print("exact                      ", exact)
try:
    print("without GemmTransposeFusion", run(disabled_optimizers=["GemmTransposeFusion"]))
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    outputs = run()
except Exception as error:
    print("with it                    ", error)
    sys.exit(1)
print("with it                    ", outputs)
sys.exit(0 if outputs == exact else 1)
