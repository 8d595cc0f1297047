"""x / Sqrt(ReduceMean(x ** 2, keepdims=0) + e) * g becomes an RMS norm, in OpenVINO 2026.4.1 on the CPU, silently.

Without keepdims the root mean squares of the rows stand along the last axis: each column is divided by that of a row.
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
    x = np.array([[3, 4], [0, 1]], np.float32)
    g = np.array([1, 2], np.float32)
    constants = {"axis": np.array([-1]), "two": np.array(2, np.float32), "e": np.array(1e-5, np.float32), "g": g}
    nodes = [
        node("Pow", ["x", "two"], ["q"]),
        node("ReduceMean", ["q", "axis"], ["m"], keepdims=0),
        node("Add", ["m", "e"], ["t"]),
        node("Sqrt", ["t"], ["r"]),
        node("Div", ["x", "r"], ["z"]),
        node("Mul", ["z", "g"], ["y"]),
    ]
    due = x / np.sqrt((x**2).mean(1) + 1e-5) * g
    return differs("RMS norm without keepdims", due, given(nodes, {"x": x}, constants, x.shape))


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
