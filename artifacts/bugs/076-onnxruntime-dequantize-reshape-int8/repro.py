"""Reshape(DequantizeLinear(x)) of int8 does not load in ONNX Runtime 1.32.0 on the CPU, from opset 21 on.

"output_dtype INT8 does not match y_zero_point type UINT8". QDQPropagationTransformer puts a QuantizeLinear with `output_dtype`
of int8 behind the Reshape. QDQS8ToU8Transformer then makes its zero point one of uint8, and leaves the attribute. Without
either of them the model loads, and so it does at opset 19, which has no such attribute.
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


def run(opset, disabled=()):
    """The result, or what goes wrong."""
    graph = helper.make_graph(
        [
            helper.make_node("DequantizeLinear", ["x", "scale", "zero"], ["real"]),
            helper.make_node("Reshape", ["real", "shape"], ["y"]),
        ],
        "reshaped",
        [helper.make_tensor_value_info("x", TensorProto.INT8, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 1])],
        [
            helper.make_tensor("scale", TensorProto.FLOAT, [], [1]),
            helper.make_tensor("zero", TensorProto.INT8, [], [0]),
            helper.make_tensor("shape", TensorProto.INT64, [2], [2, 1]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=list(disabled)
        )
        return session.run(None, {"x": np.array([1, -3], np.int8)})[0].tolist()
    except Exception as error:
        return error


given = run(21)
print("opset 19:                         ", run(19))
print("without QDQPropagationTransformer:", run(21, ["QDQPropagationTransformer"]))
print("without QDQS8ToU8Transformer:     ", run(21, ["QDQS8ToU8Transformer"]))
print("opset 21:                         ", given)
sys.exit(int(isinstance(given, Exception)))
