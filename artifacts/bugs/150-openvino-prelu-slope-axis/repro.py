"""PRelu applies a slope [n] along axis 1 where that has n places, in OpenVINO 2026.4.1 on the CPU, silently.

ONNX broadcasts the slope as NumPy does (since opset 7): along the last axis.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

node = helper.make_node


def given(nodes, inputs, constants, shape):
    """The result y of these nodes, compiled with the default settings; its shape is ``shape``."""
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=9)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU")(inputs)[0]


def differs(what, due, y):
    """Print both, and tell whether they differ."""
    print(f"{what}: due {due.tolist()}, given {y.tolist()}")
    return y.shape != due.shape or not np.allclose(y, due, rtol=1e-2, equal_nan=True)


def main():
    x = -np.ones((1, 3, 3), np.float32)
    slope = np.array([1, 2, 3], np.float32)
    y = given([node("PRelu", ["x", "slope"], ["y"])], {"x": x}, {"slope": slope}, x.shape)
    return differs("PRelu of -1 by the slopes 1, 2, 3", x * slope, y)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
