"""ReduceMin and ReduceMax return NaN only where it comes first, in ONNX Runtime 1.32.0 on the CPU.

Whether a NaN is kept depends on its place: of [nan, 1] it is, of [1, nan] it is not. ONNX does not say which of the two is due,
but the order of what is reduced cannot matter, as it does not in ONNX's reference evaluator.
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
for op in ("ReduceMin", "ReduceMax"):
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "axes"], ["y"], keepdims=0)],
        "reduction",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
        [helper.make_tensor("axes", TensorProto.INT64, [1], [1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    first, last = session.run(None, {"x": np.array([[np.nan, 1], [1, np.nan]], np.float32)})[0]
    print(f"{op} of [nan, 1]: {first}, of [1, nan]: {last}")
    wrong |= bool(np.isnan(first) != np.isnan(last))
sys.exit(int(wrong))
