"""DequantizeLinear of int8 with a scale for each row, behind a QuantizeLinear, does not run in ONNX Runtime 1.32.0.

QDQS8ToU8Transformer, on the CPU, moves it from int8 to uint8 and gives it a single zero point, where one for each row
is due. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
            helper.make_node("QuantizeLinear", ["x", "one", "zero"], ["quantized"]),
            helper.make_node("DequantizeLinear", ["quantized", "scales"], ["y"], axis=0),
        ],
        "scale_for_each_row",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 2])],
        [
            helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]),
            helper.make_tensor("zero", TensorProto.INT8, [], [0]),
            helper.make_tensor("scales", TensorProto.FLOAT, [3], [1.0, 2.0, 3.0]),
        ],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
).SerializeToString()
feeds = {"x": np.ones((3, 2), np.float32)}


def run(disabled):
    try:
        session = onnxruntime.InferenceSession(
            model, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
        return session.run(None, feeds)[0].ravel()
    except Exception as error:
        return str(error)


all_on = run([])
print("all optimizations           ", all_on)
print("without QDQS8ToU8Transformer", run(["QDQS8ToU8Transformer"]))
sys.exit(1 if isinstance(all_on, str) else 0)
