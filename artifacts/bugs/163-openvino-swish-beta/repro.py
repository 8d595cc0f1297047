"""x / (1 + Exp(-(x * b))) does not compile unless b is a scalar, in OpenVINO 2026.4.1 on the CPU.

SwishFusionWithBeta makes b the beta of a Swish, whatever its shape is.
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


def fails(what, error_part, nodes, inputs, constants, due):
    """Whether the model does not compile, with this error; print what comes of it."""
    try:
        y = given(nodes, inputs, constants, due.shape)
    except Exception as error:
        if error_part not in str(error):
            raise
        print(f"{what}: due {due.tolist()}, but: ...{error_part}...")
        return True
    print(f"{what}: due {due.tolist()}, given {y.tolist()}")
    return False


def main():
    x = np.ones(2, np.float32)
    one = np.array(1, np.float32)
    nodes = [
        node("Mul", ["x", "b"], ["m"]),
        node("Neg", ["m"], ["n"]),
        node("Exp", ["n"], ["e"]),
        node("Add", ["e", "one"], ["d"]),
        node("Div", ["x", "d"], ["y"]),
    ]
    error = "Swish input with beta must be scalar but it has rank: 1"
    b = np.array([1.5], np.float32)
    due = x / (1 + np.exp(-x * b))
    wrong = fails("a constant b of shape [1]", error, nodes, {"x": x}, {"one": one, "b": b}, due)
    b = np.array([1.5, 2], np.float32)
    due = x / (1 + np.exp(-x * b))
    return fails("an input b of shape [2]", error, nodes, {"x": x, "b": b}, {"one": one}, due) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
