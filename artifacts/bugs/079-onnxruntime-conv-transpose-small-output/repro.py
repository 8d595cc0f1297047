"""A model with a Transpose of a ConvTranspose with a small `output_shape` does not load in ONNX Runtime 1.32.0 on the CPU.

"Invalid attribute perm {0, 1, 2, 3}, input shape = {1, 1}". ONNX's own shape inference (onnx 1.23.2, too) ends where a size of
`output_shape` is less than the input's, and leaves a shape without that axis and the next ones. Without a node behind it
ConvTranspose runs, and its result has the shape that was asked for.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def run(size, behind):
    """The shape of the result, or what goes wrong."""
    nodes = [helper.make_node("ConvTranspose", ["x", "w"], ["turned" if behind else "y"], output_shape=[size, size])]
    if behind:
        nodes.append(helper.make_node("Transpose", ["turned"], ["y"], perm=[0, 1, 2, 3]))
    graph = helper.make_graph(
        nodes,
        "convolution",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 3, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [helper.make_tensor("w", TensorProto.FLOAT, [1, 1, 2, 2], [1] * 4)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, {"x": np.ones((1, 1, 3, 3), np.float32)})[0].shape
    except Exception as error:
        return error


print("4 by 4, and a Transpose:", run(4, True))
print("2 by 2:                 ", run(2, False))
given = run(2, True)
print("2 by 2, and a Transpose:", given)
sys.exit(int(isinstance(given, Exception)))
