"""Cast to float8e4m3fn gives NaN for what is too large, where the largest number is due, in OpenVINO 2026.4.1, silently.

ONNX's Cast saturates to the types of 8 bits unless `saturate` is 0: what is larger than 448 becomes 448, and in float8e5m2
what is larger than 57344 becomes 57344. The importer does not read the attribute, and its Convert never saturates.
QuantizeLinear is right.
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

X = np.array([448, 480, 1e6, -1e6], np.float32)


def run(dtype):
    """Numbers cast to an element type, and back."""
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["narrow"], to=dtype),
            helper.make_node("Cast", ["narrow"], ["y"], to=TensorProto.FLOAT),
        ],
        "cast",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    settings = {"INFERENCE_PRECISION_HINT": "f32"}
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings)([X])[0]


cases = {"FLOAT8E4M3FN": [448, 448, 448, -448], "FLOAT8E5M2": [448, 512, 57344, -57344]}
wrong = False
for name, due in cases.items():
    given = run(getattr(TensorProto, name))
    print(f"{name:12} due {due}, given {given.tolist()}")
    wrong |= not np.array_equal(given, np.array(due, np.float32))
sys.exit(int(wrong))
