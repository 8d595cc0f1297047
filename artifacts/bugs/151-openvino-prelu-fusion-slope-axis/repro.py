"""Relu(x) - Relu(-x) * c applies a constant c [n] along axis 1, in OpenVINO 2026.4.1 on the CPU, silently.

PReluFusionNegativeSub and its three companions make c the slope of OpenVINO's own PRelu, whatever its shape is.
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
    x = -np.ones((1, 3, 3), np.float32)
    constants = {"c": np.array([1, 2, 3], np.float32), "minus": np.array(-1, np.float32)}
    due = x * constants["c"]
    relu = node("Relu", ["x"], ["p"])
    negative = [node("Neg", ["x"], ["m"]), node("Relu", ["m"], ["q"])]
    times = [node("Mul", ["x", "minus"], ["m"]), node("Relu", ["m"], ["q"])]
    sub = [node("Mul", ["q", "c"], ["s"]), node("Sub", ["p", "s"], ["y"])]
    add = [node("Neg", ["q"], ["t"]), node("Mul", ["t", "c"], ["s"]), node("Add", ["p", "s"], ["y"])]
    wrong = [
        differs("Relu(x) - Relu(-x) c", due, given([relu, *negative, *sub], {"x": x}, constants, x.shape)),
        differs("Relu(x) + -Relu(-x) c", due, given([relu, *negative, *add], {"x": x}, constants, x.shape)),
        differs("Relu(x) - Relu(-1 x) c", due, given([relu, *times, *sub], {"x": x}, constants, x.shape)),
    ]
    return any(wrong)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
