"""A normalization whose ReduceMean has keepdims=0 becomes an MVN, in OpenVINO 2026.4.1 on the CPU, silently.

Without keepdims the means or deviations of the rows stand along the last axis: they concern the columns.
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
    x = np.array([[1, 3], [2, 2.5]], np.float32)
    constants = {"axis": np.array([1]), "two": np.array(2, np.float32), "e": np.array(1e-5, np.float32)}
    wrong = []
    for first, second in ((1, 0), (0, 1)):
        nodes = [
            node("ReduceMean", ["x", "axis"], ["m"], keepdims=first),
            node("Sub", ["x", "m"], ["d"]),
            node("Pow", ["d", "two"], ["q"]),
            node("ReduceMean", ["q", "axis"], ["v"], keepdims=second),
            node("Add", ["v", "e"], ["t"]),
            node("Sqrt", ["t"], ["r"]),
            node("Div", ["d", "r"], ["y"]),
        ]
        d = x - x.mean(1, keepdims=bool(first))
        due = d / np.sqrt((d**2).mean(1, keepdims=bool(second)) + 1e-5)
        wrong.append(differs(f"keepdims {first} and {second}", due, given(nodes, {"x": x}, constants, x.shape)))
    return any(wrong)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
