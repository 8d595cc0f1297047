"""Transpose(DequantizeLinear(x, scale, "")) does not load in ONNX Runtime 1.32.0 on the CPU.

"Type (tensor(int8)) of output arg (QuantizeLinear_out0) of node (QuantizeLinear) does not match expected type
(tensor(uint8))". The zero point is absent, but named "", which ONNX allows, and the scale is an input of the model.
TransposeOptimizer takes the zero point for one that is there, and puts a QuantizeLinear of int8 behind the Transpose, which
without a zero point gives uint8. With the input left out the model loads, and so it does without TransposeOptimizer.
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

OPTIMIZER = ["TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
X = np.array([[-1, 100], [2, -30]], np.int8)


def run(inputs, disabled=()):
    """The result, or what goes wrong."""
    graph = helper.make_graph(
        [
            helper.make_node("DequantizeLinear", inputs, ["real"]),
            helper.make_node("Transpose", ["real"], ["y"], perm=[1, 0]),
        ],
        "transposed",
        [
            helper.make_tensor_value_info("x", TensorProto.INT8, [2, 2]),
            helper.make_tensor_value_info("scale", TensorProto.FLOAT, []),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=list(disabled)
        )
        return session.run(None, {"x": X, "scale": np.array(3, np.float32)})[0]
    except Exception as error:
        return error


given = run(["x", "scale", ""])
print("zero point left out:       ", run(["x", "scale"]))
print("without TransposeOptimizer:", run(["x", "scale", ""], OPTIMIZER))
print('zero point named as "":    ', given)
sys.exit(int(isinstance(given, Exception)))
