"""MatMul(x, w) * c with vectors w and c is computed as MatMul(x, w * c), in OpenVINO 2026.4.1 on the CPU, silently.

The last axis of a vector w is the one that the product sums over, not one of the result.
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
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU")(inputs)[0]


def differs(what, due, y):
    """Print both, and tell whether they differ."""
    print(f"{what}: due {due.tolist()}, given {y.tolist()}")
    return y.shape != due.shape or not np.allclose(y, due, rtol=1e-2, equal_nan=True)


def main():
    x = np.array([[1, 1], [0, 1]], np.float32)
    w = np.array([1, 1], np.float32)
    c = np.array([1, 10], np.float32)
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Mul", ["p", "c"], ["y"])]
    return differs("MatMul(x, w) c", x @ w * c, given(nodes, {"x": x}, {"w": w, "c": c}, (2,)))


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
