"""Pad with the mode "wrap" of no elements does not run in ONNX Runtime 1.32.0 on the CPU, though nothing is padded.

"Unexpected mode of 3". For an input with a dimension of 0, PadBase::HandleDimValueZero knows the modes constant, edge and
reflect alone. With these the model runs.
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


def run(mode):
    """The shape of the result, or what goes wrong."""
    graph = helper.make_graph(
        [helper.make_node("Pad", ["x", "pads"], ["y"], mode=mode)],
        "pad",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [0, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [0, 2])],
        [helper.make_tensor("pads", TensorProto.INT64, [4], [0, 0, 0, 0])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    try:
        return session.run(None, {"x": np.zeros((0, 2), np.float32)})[0].shape
    except Exception as error:
        return error


for mode in ("constant", "edge", "reflect", "wrap"):
    given = run(mode)
    print(f"{mode:8}: {given}")
sys.exit(int(isinstance(given, Exception)))
