"""Exp(x) / ReduceSum(Exp(x), keepdims=0) becomes a Softmax, in OpenVINO 2026.4.1 on the CPU, silently.

Without keepdims the sums of the rows stand along the last axis: each column is divided by the sum of a row.
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
    x = np.log(np.array([[1, 1], [1, 3]], np.float32))
    exp = node("Exp", ["x"], ["e"])
    total = node("ReduceSum", ["e", "axis"], ["s"], keepdims=0)
    y = given([exp, total, node("Div", ["e", "s"], ["y"])], {"x": x}, {"axis": np.array([1])}, x.shape)
    wrong = differs("Exp(x) / ReduceSum", np.exp(x) / np.exp(x).sum(1), y)
    largest = node("ReduceMax", ["x", "axis"], ["m"], keepdims=0)
    exp = [node("Sub", ["x", "m"], ["d"]), node("Exp", ["d"], ["e"])]
    total = node("ReduceSum", ["e", "axis"], ["s"], keepdims=1)
    y = given([largest, *exp, total, node("Div", ["e", "s"], ["y"])], {"x": x}, {"axis": np.array([1])}, x.shape)
    e = np.exp(x - x.max(1))
    return differs("with ReduceMax", e / e.sum(1, keepdims=True), y) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
