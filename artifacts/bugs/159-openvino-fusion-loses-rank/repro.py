"""Min(Max(x, [[[-0.5]]]), 0.5) of a vector x gives a vector, in OpenVINO 2026.4.1 on the CPU, silently.

A constant of one number may have more axes than x; the result has them, too. ClampFusion and other fusions only look
at its number. What reduces or broadcasts the result afterwards is wrong.
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


def main():
    x = np.array([1, -2, 3], np.float32)
    constants = {
        "low": np.full((1, 1, 1), -0.5, np.float32),
        "half": np.full((1, 1, 1), 0.5, np.float32),
        "one": np.ones((1, 1, 1), np.float32),
        "root": np.full((1, 1, 1), 2**0.5, np.float32),
        "up": np.array(0.5, np.float32),
    }
    erf = [node("Div", ["x", "root"], ["d"]), node("Erf", ["d"], ["e"]), node("Add", ["e", "one"], ["a"])]
    models = {
        "ClampFusion": [node("Max", ["x", "low"], ["m"]), node("Min", ["m", "up"], ["y"])],
        "LeakyReluFusion": [node("Mul", ["x", "half"], ["m"]), node("Max", ["x", "m"], ["y"])],
        "SoftPlusFusion": [node("Exp", ["x"], ["e"]), node("Add", ["e", "one"], ["a"]), node("Log", ["a"], ["y"])],
        "GeluFusion": [*erf, node("Mul", ["x", "a"], ["m"]), node("Mul", ["m", "up"], ["y"])],
    }
    due = (1, 1, 3)
    given_shapes = {name: given(nodes, {"x": x}, constants, due).shape for name, nodes in models.items()}
    print("due", due, "given", given_shapes)
    return any(shape != due for shape in given_shapes.values())


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
