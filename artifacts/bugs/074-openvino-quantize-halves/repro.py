"""QuantizeLinear rounds half to odd where the zero point is odd, in OpenVINO 2026.4.1, silently.

ONNX rounds x / scale, of two nearest integers to the even one, and then adds the zero point. OpenVINO makes a FakeQuantize
of it, which rounds the sum: 0.5 + 1 becomes 2, where 0 + 1 is due.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.array([0.5, 1.5, -0.5, 2.5], np.float32)
wrong = False
for zero in (0, 1):
    graph = helper.make_graph(
        [helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])],
        "halves",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("y", TensorProto.INT8, [4])],
        [
            helper.make_tensor("scale", TensorProto.FLOAT, [], [1]),
            helper.make_tensor("zero", TensorProto.INT8, [], [zero]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    given = core.compile_model(core.read_model(model.SerializeToString()), "CPU")([X])[0]
    due = np.rint(X) + zero
    print(f"zero point {zero}: due {due.tolist()}, given {given.tolist()}")
    wrong |= not np.array_equal(given, due)
sys.exit(int(wrong))
