"""A model with QuantizeLinear(Concat(DequantizeLinear(x), DequantizeLinear(x))) by float16 scales does not load.

In ONNX Runtime 1.32.0 on the CPU: "Type 'tensor(float16)' of input parameter (scale) of operator (QLinearConcat) in node ()
is invalid". QDQSelectorActionTransformer replaces the Concat by a QLinearConcat, which takes scales of float32 alone.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

graph = helper.make_graph(
    [
        helper.make_node("DequantizeLinear", ["x", "scale", "zero"], ["real"]),
        helper.make_node("Concat", ["real", "real"], ["joined"], axis=0),
        helper.make_node("QuantizeLinear", ["joined", "scale", "zero"], ["y"]),
    ],
    "quantized",
    [helper.make_tensor_value_info("x", TensorProto.INT8, [2])],
    [helper.make_tensor_value_info("y", TensorProto.INT8, [4])],
    [
        helper.make_tensor("scale", TensorProto.FLOAT16, [], np.array([2], np.float16)),
        helper.make_tensor("zero", TensorProto.INT8, [], [0]),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
checker.check_model(model, full_check=True)


def run(disabled):
    """The result, or what went wrong."""
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
        return session.run(None, {"x": np.array([1, -3], np.int8)})[0]
    except Exception as error:
        return error


given = run([])
print("without QDQSelectorActionTransformer:", run(["QDQSelectorActionTransformer"]))
print("all optimizations:                   ", given)
sys.exit(int(isinstance(given, Exception)))
