"""Concat along a negative axis of squeezed parts of a Split ends the process, in OpenVINO 2026.4.1 on the CPU.

SplitSqueezeConcatFusion inserts an axis into a vector at the axis of Concat, which it does not make positive first.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

node = helper.make_node


def run(axis):
    """Compile Concat(Squeeze(Split(x, axis=1), [1]), axis) for x [3, 2, 3], and run it."""
    x = np.arange(18, dtype=np.float32).reshape(3, 2, 3)
    due = np.concatenate([x[:, 0], x[:, 1]], axis)
    nodes = [
        node("Split", ["x"], ["a", "b"], axis=1),
        node("Squeeze", ["a", "one"], ["c"]),
        node("Squeeze", ["b", "one"], ["d"]),
        node("Concat", ["c", "d"], ["y"], axis=axis),
    ]
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, due.shape)],
        [numpy_helper.from_array(np.array([1]), "one")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    y = core.compile_model(core.read_model(model.SerializeToString()), "CPU")([x])[0]
    return 0 if np.array_equal(y, due) else 3


if len(sys.argv) == 2:
    sys.exit(run(int(sys.argv[1])))
ended = {}
for axis in (0, 1, -1, -2):
    process = subprocess.run([sys.executable, __file__, str(axis)], capture_output=True, text=True)
    ended[axis] = process.returncode
    print(f"axis {axis}: status {process.returncode} {process.stderr.strip()[-60:]}")
if ended[0] != 0 or ended[1] != 0 or any(status > 0 and status != 3 for status in ended.values()):
    print("could not run")
    sys.exit(2)
sys.exit(int(any(ended.values())))
