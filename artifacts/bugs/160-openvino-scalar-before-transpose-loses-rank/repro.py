"""Transpose(x) + c with a constant c [1, 1, 1] keeps the rank of x, in OpenVINO 2026.4.1 on the CPU, silently.

MoveEltwiseUpThroughDataMovScalar computes x + c in front of the transposition. There it replaces c by a scalar, and
the result has no leading axis. What reduces or broadcasts it afterwards is wrong.
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
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    constants = {"c": np.full((1, 1, 1), 2, np.float32), "axis": np.array([1])}
    nodes = [node("Transpose", ["x"], ["t"], perm=[1, 0]), node("Add", ["t", "c"], ["y"])]
    due = x.T[None] + 2
    wrong = differs("Transpose(x) + c", due, given(nodes, {"x": x}, constants, due.shape))
    nodes[1] = node("Add", ["t", "c"], ["a"])
    nodes.append(node("ReduceSum", ["a", "axis"], ["y"], keepdims=0))
    return differs("its sum along axis 1", due.sum(1), given(nodes, {"x": x}, constants, due.sum(1).shape)) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
