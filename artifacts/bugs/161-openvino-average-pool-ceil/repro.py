"""AveragePool with ceil_mode=1 and count_include_pad=1 divides by too much, in OpenVINO 2026.4.1 on the CPU, silently.

The last window may reach beyond the padding. ONNX (and PyTorch) divide by the places within the padding alone; OpenVINO
divides by the size of the kernel.
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
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU")(inputs)[0]


def differs(what, due, y):
    """Print both, and tell whether they differ."""
    print(f"{what}: due {due.tolist()}, given {y.tolist()}")
    return y.shape != due.shape or not np.allclose(y, due, rtol=1e-2, equal_nan=True)


def main():
    x = np.arange(1, 7, dtype=np.float32).reshape(1, 1, 6)
    attributes = {"kernel_shape": [3], "strides": [2], "pads": [1, 1], "ceil_mode": 1, "count_include_pad": 1}
    pool = node("AveragePool", ["x"], ["y"], **attributes)
    padded = [0, 1, 2, 3, 4, 5, 6, 0]
    due = np.array([[[np.mean(padded[i : i + 3]) for i in (0, 2, 4, 6)]]], np.float32)
    return differs("AveragePool", due, given([pool], {"x": x}, {}, due.shape))


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
