"""QuantizeLinear with a scale for each row of unknown size takes a scale for each column in OpenVINO 2026.4.1, silently.

Where the size along the axis is unknown, the importer leaves the scales and zero points a vector, which goes along the last
axis by broadcasting. Where the last axis has another size, the plugin reads beyond them.
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


def run(rows):
    """The result of two rows of 8, by the scales 2 and 4."""
    graph = helper.make_graph(
        [helper.make_node("QuantizeLinear", ["x", "scales", "zeros"], ["y"], axis=0)],
        "rows",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 2])],
        [helper.make_tensor_value_info("y", TensorProto.INT8, [rows, 2])],
        [
            helper.make_tensor("scales", TensorProto.FLOAT, [2], [2, 4]),
            helper.make_tensor("zeros", TensorProto.INT8, [2], [0, 0]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=9)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    return compiled([np.full((2, 2), 8, np.float32)])[0].tolist()


given, known = run("n"), run(2)
print("due:                    [[4, 4], [2, 2]]")
print("known number of rows:  ", known)
print("unknown number of rows:", given)
sys.exit(0 if given == [[4, 4], [2, 2]] else 1)
