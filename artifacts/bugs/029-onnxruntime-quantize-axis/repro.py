"""QuantizeLinear(op(DequantizeLinear(x))) with a scale for each row is fused as if there were one scale for all.

In ONNX Runtime 1.32.0 on the CPU, Softmax is quantized by the first row's scale in all rows, silently; models with
Sigmoid, LeakyRelu or Concat between cannot be loaded. Exits 1 where the bug shows, 0 where it does not, 2 where this
could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

feeds = {"x": np.ones((3, 2), np.uint8)}
wrong = False
for operator in ("Softmax", "Sigmoid"):
    model = helper.make_model(
        helper.make_graph(
            [
                helper.make_node("DequantizeLinear", ["x", "one"], ["real"]),
                helper.make_node(operator, ["real"], ["computed"]),
                helper.make_node("QuantizeLinear", ["computed", "scales", "zeros"], ["y"], axis=0),
            ],
            "scale_for_each_row",
            [helper.make_tensor_value_info("x", TensorProto.UINT8, [3, 2])],
            [helper.make_tensor_value_info("y", TensorProto.UINT8, [3, 2])],
            [
                helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]),
                helper.make_tensor("scales", TensorProto.FLOAT, [3], [0.1, 0.2, 0.3]),
                helper.make_tensor("zeros", TensorProto.UINT8, [3], [0, 0, 0]),
            ],
        ),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    ).SerializeToString()

    def run(disabled, model=model):
        try:
            session = onnxruntime.InferenceSession(
                model, providers=["CPUExecutionProvider"], disabled_optimizers=disabled
            )
            return session.run(None, feeds)[0].ravel().tolist()
        except Exception as error:
            return str(error).strip().splitlines()[-1][-120:]

    fused, plain = run([]), run(["QDQSelectorActionTransformer"])
    print(operator, "all optimizations                   ", fused)
    print(operator, "without QDQSelectorActionTransformer", plain)
    wrong |= fused != plain
sys.exit(int(wrong))
