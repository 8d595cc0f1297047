"""MaxPool and GlobalMaxPool of -inf give -3.4028235e+38 in ONNX Runtime 1.32.0 on the CPU, silently.

So it is in float32; in float16, and in MaxPool of float64, -inf is kept. The kernel (MLAS) begins with the least finite number.
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

wrong = False
for node in (
    helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[1, 2]),
    helper.make_node("GlobalMaxPool", ["x"], ["y"]),
):
    for dtype, code in ((np.float16, TensorProto.FLOAT16), (np.float32, TensorProto.FLOAT)):
        graph = helper.make_graph(
            [node],
            "pool",
            [helper.make_tensor_value_info("x", code, [1, 1, 1, 2])],
            [helper.make_tensor_value_info("y", code, [1, 1, 1, 1])],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        checker.check_model(model, full_check=True)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        given = session.run(None, {"x": np.full((1, 1, 1, 2), -np.inf, dtype)})[0].item()
        print(f"{node.op_type} of {dtype.__name__}: {given}")
        wrong |= given != -np.inf
sys.exit(int(wrong))
