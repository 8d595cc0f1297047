"""ONNX Runtime 1.32.0 on the CPU drops a Slice with steps and without axes: every element comes out, not every other.

EliminateSlice takes it for one that cuts nothing off: it reads the steps with the axes alone. Exits 1 where the bug
shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.arange(1, 7, dtype=np.float32)


def run(**options):
    """Load and run the model; its output."""
    constants = {"start": 0, "end": np.iinfo(np.int64).max, "step": 2}
    graph = helper.make_graph(
        [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("Slice", ["a", "start", "end", "", "step"], ["b"]),
            helper.make_node("Neg", ["b"], ["y"]),
        ],
        "every_other",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
        [helper.make_tensor(name, TensorProto.INT64, [1], [value]) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], **options)
    return session.run(None, {"x": X})[0].tolist()


onnxruntime.set_default_logger_severity(4)
exact = (-X[::2]).tolist()
try:
    print("exact                 ", exact)
    print("without EliminateSlice", run(disabled_optimizers=["EliminateSlice"]))
    output = run()
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
print("with it               ", output)
sys.exit(int(output != exact))
