"""MaxPool and GlobalMaxPool of -inf give -3.4028235e+38 for some shapes in ONNX Runtime 1.32.0 on the CPU, silently.

Some loops of the kernel (MLAS) begin with the least finite number. A window of 2 by 2 over 4 by 4 is right, and so is
float16. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def pooled(window, shape, code, dtype, value):
    """The first element of the result of a MaxPool; of a GlobalMaxPool, if there is no window."""
    operator, more = ("MaxPool", {"kernel_shape": window}) if window else ("GlobalMaxPool", {})
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"], **more)],
        "pool",
        [helper.make_tensor_value_info("x", code, shape)],
        [helper.make_tensor_value_info("y", code, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.full(shape, value, dtype)})[0].ravel()[0]


wrong = False
for window, image in (([2, 2], [4, 4]), ([3], [5]), ([1, 2], [1, 2]), ([3, 3], [3, 3]), (None, [2, 2])):
    shape = [1, 1, *image]
    half = pooled(window, shape, TensorProto.FLOAT16, np.float16, -np.inf)
    single = pooled(window, shape, TensorProto.FLOAT, np.float32, -np.inf)
    nan = pooled(window, shape, TensorProto.FLOAT, np.float32, np.nan)
    print(f"window {window} over {image}: -inf of float16 {half}, of float32 {single}; NaN of float32 {nan}")
    wrong |= bool(single != -np.inf)
sys.exit(int(wrong))
