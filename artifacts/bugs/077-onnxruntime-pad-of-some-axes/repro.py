"""Transpose(Pad(Transpose(x))) of some axes does not run in ONNX Runtime 1.32.0 on the CPU, or is wrong, silently.

"indices element out of data bounds, idx=2 must be within the inclusive range [-2,1]". TransposeOptimizer moves the Transpose
behind the Pad, and permutes the pads as if there were one pair for each axis, in their order: it does not read the axes,
which Pad has from opset 18 on. Without axes it is right.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

OPTIMIZER = ["TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
X = np.arange(4, dtype=np.float32).reshape(1, 2, 2)


def run(axes, pads, disabled=()):
    """The result, or what goes wrong."""
    graph = helper.make_graph(
        [
            helper.make_node("Transpose", ["x"], ["turned"], perm=[2, 0, 1]),
            helper.make_node("Pad", ["turned", "pads", "", "axes" if axes else ""], ["padded"]),
            helper.make_node("Transpose", ["padded"], ["y"], perm=[2, 0, 1]),
        ],
        "padded",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["k", "n", "m"])],
        [
            helper.make_tensor("pads", TensorProto.INT64, [len(pads)], pads),
            helper.make_tensor("axes", TensorProto.INT64, [len(axes)], axes),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=list(disabled)
        )
        return session.run(None, {"x": X})[0].shape
    except Exception as error:
        return str(error).split(':')[-1]


CASES = {
    "no axes": ([], [1, 0, 0, 0, 0, 0]),
    "axis 0": ([0], [1, 0]),
    "axes 0, 2, 1": ([0, 2, 1], [0, 1, 0, 0, 0, 0]),
}
wrong = False
for name, (axes, pads) in CASES.items():
    due, given = run(axes, pads, OPTIMIZER), run(axes, pads)
    print(f"{name:12}: due a result of shape {due}, given {given}")
    wrong |= due != given
sys.exit(int(wrong))
