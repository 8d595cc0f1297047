"""Cast of a float8 -0.0 to bool gives True in ONNX Runtime 1.32.0 on the CPU, silently.

ONNX says that a cast from a floating type to bool makes False of both zeros. `operator!=` in float8.h compares bits, and
so -0.0 is taken to differ from 0.0. float32 is right.
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

x = np.array([0.0, -0.0, 1.0], np.float32)


def run(dtype):
    """Whether each of x is true in an element type."""
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["same"], to=dtype),
            helper.make_node("Cast", ["same"], ["y"], to=TensorProto.BOOL),
        ],
        "cast",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
        [helper.make_tensor_value_info("y", TensorProto.BOOL, [3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


print("x           ", x)
due = run(TensorProto.FLOAT)
wrong = False
for name in ("FLOAT", "FLOAT8E4M3FN", "FLOAT8E5M2"):
    given = run(getattr(TensorProto, name))
    print(f"{name:12}", given)
    wrong |= not np.array_equal(given, due)
sys.exit(int(wrong))
