"""ReduceSum with keepdims=1 of Unsqueeze(x, [2]) gives a wrong shape, in OpenVINO 2026.4.1 on the CPU, silently.

The reduction moves in front of the Unsqueeze. The new axis then goes to another place, as if the reduced axis had
vanished.
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
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    constants = {"new": np.array([2]), "shape": np.array([2, 2, 1, 3]), "axis": np.array([0])}
    due = x[:, :, None].sum(0, keepdims=True)
    total = node("ReduceSum", ["u", "axis"], ["y"], keepdims=1)
    wrong = [
        differs(kind, due, given([node(kind, ["x", name], ["u"]), total], {"x": x}, constants, due.shape))
        for kind, name in (("Unsqueeze", "new"), ("Reshape", "shape"))
    ]
    return any(wrong)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
